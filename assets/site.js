document.documentElement.dataset.script="on";
