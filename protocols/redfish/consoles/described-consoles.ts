import type { JsonObject } from '../json.ts';
import type { RedfishOptions } from '../options.ts';
import { CONSOLE_PATHS } from './console-paths.ts';
import { MOST_OF_KIND } from './console-register.ts';

type ConsoleOptions = Pick<RedfishOptions, 'machine' | 'network' | 'webConsole'>;

/** `SerialConsole` of ComputerSystem: serial over LAN of IPMI, and the WebSocket. */
export function describeSerialConsole({ network, webConsole }: ConsoleOptions): JsonObject {
  const port = network().ipmiPort;
  const isInWeb = webConsole?.isEnabled() === true;
  return {
    MaxConcurrentSessions: countSerial(port, isInWeb),
    IPMI: { ServiceEnabled: port !== undefined, Port: port ?? null },
    ...(webConsole && {
      WebSocket: { ServiceEnabled: isInWeb, ConsoleURI: CONSOLE_PATHS.HostConsole, Interactive: true },
    }),
  };
}

/** `SerialConsole` of Manager, which is deprecated. The WebSocket is not in its list of types. */
export function describeManagerConsole({ network, webConsole }: ConsoleOptions): JsonObject {
  const port = network().ipmiPort;
  const isInWeb = webConsole?.isEnabled() === true;
  return {
    ServiceEnabled: port !== undefined || isInWeb,
    MaxConcurrentSessions: countSerial(port, isInWeb),
    ConnectTypesSupported: [...(port === undefined ? [] : ['IPMI']), ...(isInWeb ? ['Oem'] : [])],
  };
}

/** `GraphicalConsole` of ComputerSystem: RFB by WebSocket. */
export function describeGraphicalConsole({ machine, network, webConsole }: ConsoleOptions): JsonObject {
  const isServed = webConsole?.isEnabled() === true && machine.display.isPresent() !== false;
  return {
    ServiceEnabled: isServed,
    Port: isServed ? network().httpsPort : null,
    MaxConcurrentSessions: isServed ? MOST_OF_KIND : 0,
    ConnectTypesSupported: isServed ? ['KVMIP'] : [],
  };
}

function countSerial(ipmiPort: number | undefined, isInWeb: boolean): number {
  return (ipmiPort === undefined ? 0 : 1) + (isInWeb ? MOST_OF_KIND : 0);
}
