/** Value of `schema` in site.json, the list of a copy's files. */
export const COPY_FILES_SCHEMA = 'svc.public.site.v1'
