export { pngOf } from './png.ts';
export { pictureOf } from './picture.ts';
export { RfbError } from './rfb-error.ts';
export { RfbServer } from './rfb-server.ts';
export { resized, STARTED, TextScreen } from './text-screen.ts';
