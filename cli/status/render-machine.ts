import { wrap } from './layout.ts';
import type { MachineStatus } from './machine.ts';
import { ago, printed, verdict, type Style } from './render.ts';
import { unready } from './overview-unready.ts';

/** Formats one machine: the chain from the client to the guest, line by line, then the problems and what to do. */
export function renderMachine(machine: MachineStatus, style: Style): string {
  const { width, paint } = style;
  const { interfaces, actions, time } = machine;
  const facts = factsOf(machine);
  const indent = Math.max(...facts.map(([what]) => what.length)) + 2;
  return [
    paint.bold(`VirtualMachine ${machine.namespace}/${machine.name}`),
    ...facts.flatMap(([what, text]) =>
      wrap(text, ' '.repeat(indent), width).map((line, index) =>
        index === 0 ? `${paint.dim(what.padEnd(indent))}${line.slice(indent)}` : line,
      ),
    ),
    ...(interfaces.length === 0
      ? []
      : [
          '',
          ...printed(
            [
              ['INTERFACE', 'NETWORK', 'MAC', 'ADDRESS', 'LEASE', 'SEEN'],
              ...interfaces.map(({ name, network, macAddress, address, lease, lastSeen }) => [
                ...[name, network, macAddress, address, lease, ago(lastSeen, time)],
              ]),
            ],
            style,
          ),
        ]),
    ...(actions.length === 0
      ? []
      : [
          '',
          paint.dim('LAST ACTIONS'),
          ...actions.flatMap((one) => wrap(`${ago(one.time, time)}: ${one.reason}: ${one.message}`, '', width)),
        ]),
    '',
    ...verdict(machine.problems, unready({ bmcs: machine.bmc === undefined ? [] : [machine.bmc], pools: [] }), style),
    '',
  ].join('\n');
}

function factsOf({
  bmc,
  service,
  agents,
  virtualMachine,
  instance,
  media,
  bootOverride,
  time,
}: MachineStatus): [string, string][] {
  const withBmc: [string, string][] =
    bmc === undefined
      ? [['BMC', 'none']]
      : [
          ['BMC', `${bmc.name}: ${bmc.phase}`],
          ['IPMI', bmc.ipmi],
          ['Redfish', bmc.redfish],
          [
            'Service',
            service === undefined
              ? 'none'
              : `${service.name}: ${service.type} ${service.address}, ports ${service.ports.join(', ')}`,
          ],
          ...(agents.length === 0 ? [['Agent', 'none'] as [string, string]] : []),
          ...agents.map((one): [string, string] => [
            'Agent',
            `${one.name}: ${one.state}, restarts ${one.restarts}, node ${one.node}, image ${one.image}`,
          ]),
        ];
  const boot =
    bootOverride &&
    `${bootOverride.target}, ${bootOverride.mode}${bootOverride.expires === undefined ? '' : `, until ${bootOverride.expires}`}`;
  return [
    ...withBmc,
    [
      'VM',
      virtualMachine === undefined
        ? 'missing'
        : `power ${bmc?.power ?? '-'}, run strategy ${virtualMachine.runStrategy}, KubeVirt says ${virtualMachine.status}`,
    ],
    [
      'VMI',
      instance === undefined
        ? 'none'
        : `${instance.phase} on node ${instance.node}${instance.since === undefined ? '' : `, since ${ago(instance.since, time)}`}`,
    ],
    ['Next boot', boot ?? "the VM's own order"],
    ...media.map(({ slot, phase = '-', image = '-', progress, message }): [string, string] => [
      `Media ${slot}`,
      [`${phase}: ${image}`, progress, message].filter((part) => part !== undefined && part !== '').join(', '),
    ]),
  ];
}
