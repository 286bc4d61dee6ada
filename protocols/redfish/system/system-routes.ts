import type { RedfishContext } from '../context.ts';
import type { Route } from '../resource.ts';
import { ROOT } from '../uris.ts';
import { biosRoutes, secureBoot } from './firmware.ts';
import { bootOptionsOf } from './boot-option.ts';
import { computerSystem } from './computer-system.ts';
import { ethernetInterfacesOf, memoryOf, processorsOf, trustedComponentsOf } from './hardware.ts';
import { networkAdapterRoutes } from './network-adapter.ts';
import {
  BOOT_OPTIONS,
  ETHERNET_INTERFACES,
  MEMORY,
  partRoutes,
  PROCESSORS,
  SECURE_BOOT,
  SIMPLE_STORAGE,
  singleRoutes,
  TRUSTED_COMPONENTS,
} from './part.ts';
import { simpleStorageOf, storageRoutes } from './storage.ts';

/** The machine and its parts. The folders `media` and `log` serve VirtualMedia and LogServices. */
export function systemRoutes(context: RedfishContext): Route[] {
  const { machine } = context.options;
  const hardware = (): ReturnType<typeof machine.hardware> => machine.hardware();
  return [
    ...singleRoutes(`${ROOT}/Systems`, 'ComputerSystemCollection', 'Computer systems', () => computerSystem(context)),
    ...partRoutes(PROCESSORS, 'ProcessorCollection', 'Processors', () => processorsOf(hardware())),
    ...partRoutes(MEMORY, 'MemoryCollection', 'Memory', () => memoryOf(hardware())),
    ...partRoutes(ETHERNET_INTERFACES, 'EthernetInterfaceCollection', 'Network interfaces', () =>
      ethernetInterfacesOf(hardware()),
    ),
    ...networkAdapterRoutes(hardware),
    ...partRoutes(SIMPLE_STORAGE, 'SimpleStorageCollection', 'Simple storage', () => simpleStorageOf(hardware())),
    ...storageRoutes(hardware),
    ...partRoutes(TRUSTED_COMPONENTS, 'TrustedComponentCollection', 'Trusted components', () =>
      trustedComponentsOf(hardware()),
    ),
    ...partRoutes(BOOT_OPTIONS, 'BootOptionCollection', 'Boot options', () => bootOptionsOf(machine)),
    { path: SECURE_BOOT, find: () => secureBoot(context.options) },
    ...biosRoutes(machine),
  ];
}
