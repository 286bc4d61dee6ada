export { DEFAULT_ARCHITECTURE } from './architecture.ts';
export { withDefaultDevices, withImpliedDevices, type PodBinding } from './devices.ts';
export { firmwareFor, type RandomBytes } from './firmware.ts';
export { interfacesOf, networkNameOf, podInterfaceName } from './interfaces.ts';
