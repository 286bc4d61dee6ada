import type { ComputerSystem, Manager } from '../redfish/resources.ts';

/** Path of the screen's WebSocket beside `/redfish`, as bmcweb has it. */
export const SCREEN_PATH = 'kvm/0';
/** Path of the serial console's WebSocket. */
export const SERIAL_PATH = 'console0';

/** Where a picture of the screen is; undefined if the machine has none. */
export function screenshotUri({ GraphicalConsole: console }: ComputerSystem): string | undefined {
  return console?.ServiceEnabled === true ? `/${SCREEN_PATH}/screenshot` : undefined;
}

/** Whether the BMC says that it has no serial console here. With legacy properties the Manager says so: its WebSocket is `Oem`. */
export function isSerialOff(system: ComputerSystem | undefined, manager: Manager | undefined): boolean {
  return (
    system?.SerialConsole?.WebSocket?.ServiceEnabled === false ||
    manager?.SerialConsole?.ConnectTypesSupported?.includes('Oem') === false
  );
}

/** URL of a console's WebSocket, below the path of the page. */
export function consoleUrl(path: string): string {
  const url = new URL(path, document.baseURI);
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:';
  return url.href;
}
