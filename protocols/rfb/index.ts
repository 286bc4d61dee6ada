export { SharedScreen } from './shared-screen.ts';
export type { SharedScreenOptions } from './screen-session.ts';
export type { AttachedViewer, Viewer, ViewerEnd } from './viewer.ts';
