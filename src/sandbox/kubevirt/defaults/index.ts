export { DEFAULT_ARCHITECTURE } from './architecture.ts';
export { firmwareFor, type RandomBytes } from './firmware.ts';
export { interfacesOf, networkNameOf, podInterfaceName } from './interfaces.ts';
