// The script of every page. Each part looks for its own marks in the page and does nothing where there are none.
document.documentElement.dataset['script'] = 'on'
