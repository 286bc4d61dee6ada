export { builtPages } from './built-pages.ts';
export { type PageHandler, servePages } from './serve-pages.ts';
export type { Manifest, ServedFile } from './manifest.ts';
export { MANIFEST_NAME } from './manifest.ts';
export { SECURITY_HEADERS } from './security-headers.ts';
