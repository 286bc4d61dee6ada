import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { credentialsSecretName } from '../../../api/index.ts';
import { CONFIG_MAPS, SECRETS } from '@groundcrew/controller-runtime';
import { findTool } from '../../tools/index.ts';
import { IpmiClient } from './clients/ipmi-client.ts';
import type { BmcAccess, PowerClient } from './clients/power-client.ts';
import { CurlClient, IpmitoolClient } from './clients/real-client.ts';
import { RedfishClient } from './clients/redfish-client.ts';
import { HOME, type Stage } from './cluster/stage.ts';
import { following, untilProgressEnds } from './following.ts';
import { createFleet, createNetwork, NAMESPACE, serviceOf, vmNames } from './objects.ts';
import type { Observer } from './observer.ts';
import type { ProgressLine } from './progress-line.ts';
import type { FleetOptions } from './results.ts';

/** Most VMs that each of ipmitool and curl drives; of a small fleet, an eighth. */
const SAMPLE = 5;

/**
 * Creates the fleet; resolves when all BMCs are Ready, all addresses are allocated, and the network is served.
 *
 * @returns the names of the VMs
 * @throws Error if the fleet is not made
 */
export async function setUp(
  { client }: Stage,
  observer: Observer,
  options: FleetOptions,
  line: ProgressLine,
): Promise<string[]> {
  const { vms } = options;
  const names = vmNames(vms);
  await createNetwork(client);
  let created = 0;
  const creating = createFleet(client, names, options, () => {
    created += 1;
  });
  const show = (): string =>
    `set-up: ${created} of ${vms} created, ${observer.allocated} with an address, ${observer.ready} BMCs Ready${observer.isServed ? '' : ', no DHCP agent yet'}`;
  await following(line, show, creating);
  const reached = (): number => observer.ready + observer.allocated + (observer.isServed ? 1 : 0);
  await untilProgressEnds(line, show, reached, 2 * vms + 1);
  if (reached() < 2 * vms + 1) {
    const missing = names.flatMap((name) => {
      const trouble = observer.troubleOf(name);
      return trouble === undefined ? [] : [`${name}: ${trouble}`];
    });
    throw new Error(['the fleet was not made', show(), ...missing.slice(0, 5)].join('\n'));
  }
  return names;
}

/** How clients reach the BMCs. @throws Error if ports are not open */
export async function accessOf(stage: Stage, names: readonly string[]): Promise<BmcAccess[]> {
  const { client } = stage;
  const [{ items: secrets }, addresses, authority] = await Promise.all([
    client.list(SECRETS, { namespace: NAMESPACE }),
    stage.addresses(NAMESPACE, names.map(serviceOf)),
    client.get(CONFIG_MAPS, { namespace: HOME, name: 'groundcrew-ca' }),
  ]);
  const byName = new Map(secrets.map((secret) => [secret.metadata.name, secret.data ?? {}]));
  return names.map((vm, index) => {
    const address = addresses[index];
    if (address === undefined || address === null) throw new Error(`the ports of the BMC of ${vm} are not open`);
    const text = (key: string): string =>
      Buffer.from(byName.get(credentialsSecretName(vm))?.[key] ?? '', 'base64').toString();
    return {
      vm,
      ...address,
      username: text('username'),
      password: text('password'),
      ca: authority.data?.['ca.crt'] ?? '',
    };
  });
}

/**
 * IPMI and Redfish in turns; the first few VMs are driven by real clients, if the machine has them.
 *
 * @param folder for files of the real clients
 */
export function clientOf(bmc: BmcAccess, index: number, size: number, folder: string): PowerClient {
  const isReal = index < 2 * Math.min(SAMPLE, Math.ceil(size / 8));
  const isIpmi = index % 2 === 0;
  const program = isReal ? findTool(isIpmi ? 'ipmitool' : 'curl') : undefined;
  if (isIpmi) return program === undefined ? new IpmiClient(bmc) : new IpmitoolClient(program, bmc);
  if (program === undefined) return new RedfishClient(bmc);
  const ca = join(folder, 'ca.crt');
  writeFileSync(ca, bmc.ca);
  return new CurlClient(program, bmc, ca);
}
