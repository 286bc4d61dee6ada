export { SharedScreen, type SharedScreenOptions } from './shared-screen.ts';
export type { AttachedViewer, Viewer, ViewerEnd } from './viewer.ts';
