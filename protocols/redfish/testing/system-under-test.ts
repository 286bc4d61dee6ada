import type { Machine } from '../../machine/index.ts';
import type { MemoryMachine } from '../../testing/index.ts';
import type { JsonObject } from '../json.ts';
import type { Message } from '../messages.ts';
import type { ActionOutcome, Resource, Route } from '../resource.ts';
import { evaluateWhole, parametersOf } from '../service/check-rules.ts';
import { systemRoutes } from '../system/system-routes.ts';
import { SYSTEM } from '../uris.ts';
import { CALLER, FakeBmc, payloadAt } from './index.ts';

/** The routes of this folder on a machine with all kinds of hardware, powered on. Input is not checked against the rules. */
export class SystemUnderTest {
  readonly bmc = new FakeBmc();
  readonly routes: readonly Route[] = systemRoutes(this.bmc.context);

  constructor() {
    this.machine.state = 'On';
    this.machine.parts = HARDWARE;
    this.machine.options = BOOT_OPTIONS;
  }

  get machine(): MemoryMachine {
    return this.bmc.machine;
  }

  /** URIs of all resources. */
  get uris(): string[] {
    return this.routes.flatMap((route) => {
      if (route.path.includes('{')) return [];
      const members = route.find({})?.members?.() ?? [];
      return [route.path, ...members.map(({ uri }) => uri)];
    });
  }

  /** The answer to GET; undefined: not found. */
  async get(uri = SYSTEM): Promise<JsonObject | undefined> {
    return await payloadAt(this.routes, uri);
  }

  /** `Boot` of the System, without annotations. */
  async boot(): Promise<JsonObject> {
    const system = await this.get();
    return Object.fromEntries(Object.entries(system?.['Boot'] as JsonObject).filter(([name]) => !name.includes('@')));
  }

  async patch(changes: JsonObject, uri = SYSTEM): Promise<readonly Message[] | undefined> {
    return await this.#resource(uri)?.patch?.apply(changes, CALLER);
  }

  async act(name: string, parameters: JsonObject = {}, uri = SYSTEM): Promise<ActionOutcome> {
    return await this.#resource(uri)
      ?.actions?.find((action) => action.name === name)
      ?.run(parameters, CALLER);
  }

  /** The resolutions for invalid parameters. */
  whyNot(name: string, parameters: JsonObject, uri = SYSTEM): string[] {
    const action = this.#resource(uri)?.actions?.find((candidate) => candidate.name === name);
    const { messages } = evaluateWhole(
      action?.rules ?? { kind: 'object', properties: {} },
      parameters,
      parametersOf(name),
    );
    return messages.map(({ Resolution }) => Resolution);
  }

  async reset(type: string): Promise<ActionOutcome> {
    return await this.act('ComputerSystem.Reset', { ResetType: type });
  }

  #resource(uri: string): Resource | undefined {
    return this.routes.find(({ path }) => path === uri)?.find({});
  }
}

export const HARDWARE: ReturnType<Machine['hardware']> = {
  manufacturer: 'Example',
  model: 'u1.medium',
  serial: 'S-1',
  cpuCount: 8,
  cpuModel: 'host-model',
  memoryBytes: 3 * 2 ** 29,
  firmware: 'UEFI',
  firmwareVersion: 'firmware:v1',
  sku: 'K-1',
  hasTpm: true,
  secureBoot: true,
  architecture: 'x86-64',
  topology: { sockets: 2, cores: 2, threads: 2 },
  operatingSystem: { name: 'Fedora', hostname: 'vm-7' },
  networkInterfaces: [
    {
      ...{ name: 'default', macAddress: '02:00:00:00:00:0a', ipAddresses: ['10.0.0.2', 'fd00::2'] },
      ...{ model: 'virtio', isLinkUp: true },
    },
    { name: 'storage', ipAddresses: [], isLinkUp: false },
  ],
  disks: [
    { name: 'root', kind: 'Disk', bus: 'virtio', capacityBytes: 10 * 2 ** 30, isReadOnly: false },
    { name: 'data', kind: 'Lun', bus: 'sata', serial: 'D-2', isReadOnly: true },
    { name: 'tools', kind: 'Cdrom', bus: 'sata', isReadOnly: true },
  ],
};

export const BOOT_OPTIONS: ReturnType<Machine['bootOptions']> = [
  { id: 'disk:root', device: 'Hdd', instance: 1, name: 'Disk root', order: 2 },
  { id: 'disk:data', device: 'Hdd', instance: 2, name: 'Disk data' },
  { id: 'cdrom:tools', device: 'Cd', instance: 1, name: 'CD-ROM tools' },
  { id: 'interface:default', device: 'Pxe', instance: 1, name: 'Network interface default', order: 1 },
  { id: 'interface:storage', device: 'Pxe', instance: 2, name: 'Network interface storage' },
];
