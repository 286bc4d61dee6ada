import { describe, expect, it, onTestFinished } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { featureGates } from '../../../../test/harness/scenes/feature-gates.ts';
import { parseRecording, type Line, type Scenario } from './recording/parse-recording.ts';
import { pairOf, Player } from './recording/player.ts';
import { readTestdata } from './recording/testdata.ts';
import { isOff, type TemplateChange } from '../../../../test/harness/scenes/virtual-machines.ts';

const FILES = ['scenario-all', 'scenario-guest'] as const;

/** Why a line is not played, by file, scenario and time. */
const NOT_PLAYED: Record<string, string> = {
  ...because(
    'the recorder’s node kept no record of Running in this file, so that virt-controller took each end for a failed start',
    'scenario-all always 13.65 13.76 27.61',
    'scenario-all rerun 40.98 54.44 71.02 71.06 75.00',
  ),
  ...because('the recorder asked its node for something, and there was no guest', 'scenario-all always 27.26'),
  ...because(
    'a volume is plugged by request: that gate is off here, and what is answered then is in subresources.suite.ts',
    'scenario-all boot 87.34 87.40 87.44',
  ),
};

/** What the recorder said of its own doings; it is no answer of KubeVirt. */
const OWN_WORDS = [
  /^TIMEOUT$/,
  /^guest powers itself off/,
  /^set one-time PXE/,
  /^restore the template/,
  /^inject an ISO/,
  /^eject$/,
  /^efi\+secureboot/,
];

function because(reason: string, ...lines: string[]): Record<string, string> {
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [file = '', scenario = '', ...times] = line.split(' ');
      return times.map((time) => [`${file} ${scenario} ${time}`, reason]);
    }),
  );
}

const world = await cluster();
const { kubeVirt } = await world.standIns({
  parts: ['kubevirt'],
  bootTime: 200,
  kubeVirt: { shutdownTime: 200 },
});
/** By file. */
const namespaces: Record<string, string> = {
  'scenario-all': await world.namespace(),
  'scenario-guest': await world.namespace(),
};
const setGates = featureGates(world, namespaces['scenario-all'] ?? '');

/** What each file's and scenario's calls need so that they meet what they met then. */
interface Staging {
  template?: TemplateChange;
  /** Done before the line of that time. */
  before?: Record<string, (player: Player) => Promise<void> | void>;
}

/** Holds virt-controller from one line to another: the recorded one was slow enough by itself. */
function holding(from: string, to: string): Required<Pick<Staging, 'before'>>['before'] {
  let hold: { resume(): void } | undefined;
  return {
    [from]: () => {
      hold = kubeVirt.holdController();
    },
    [to]: () => {
      hold?.resume();
    },
  };
}

async function bootIn(player: Player, name: string, milliseconds: string): Promise<void> {
  const annotations = { 'sandbox.kubevirt.io/boot-time': milliseconds };
  const change = { spec: { template: { metadata: { annotations } } } };
  expect(await player.vms.patch(`virtualmachines/${name}`, 'merge', change)).toBe('200');
}

const hold = holding('0.30', '0.42');
const STAGING: Record<string, Staging> = {
  'scenario-all manual': {
    before: {
      ...holding('2.14', '2.21'),
      ...holding('6.38', '6.50'),
      // A start, another while it is queued, and a stop before the guest runs.
      '0.30': async (player) => {
        await bootIn(player, 'm', '60000');
        await hold['0.30']?.(player);
      },
      '0.42': async (player) => {
        await hold['0.42']?.(player);
        await player.vms.until('m', ({ vm, vmi }) => {
          return vmi?.status?.phase === 'Scheduling' && !vm.status?.stateChangeRequests;
        });
      },
      '1.19': (player) => bootIn(player, 'm', '200'),
    },
  },
  // Two stops while the guest still shuts down.
  'scenario-all halted': {
    template: { metadata: { annotations: { 'sandbox.kubevirt.io/shutdown-time': '600000' } } },
  },
  'scenario-all rerun': {
    before: {
      ...holding('39.29', '39.42'),
      // In place of states that are not played.
      '54.43': async (player) => {
        await player.vms.until('r', isOff);
      },
    },
  },
  'scenario-all boot': {
    before: {
      '78.96': async (player) => {
        await setGates('DeclarativeHotplugVolumes');
        await eventually(async () => {
          expect(await player.accepts('b')).toBe(true);
        });
      },
    },
    template: {
      domain: {
        devices: {
          disks: [
            { name: 'root', bootOrder: 1, disk: { bus: 'virtio' } },
            { name: 'cd', cdrom: { bus: 'sata' } },
          ],
          interfaces: [{ name: 'default', masquerade: {} }],
        },
      },
    },
  },
};

/** Where the recorder cut a body off, its end; it began with the resourceVersion that its VM had. */
const ENDS: Record<string, string> = {
  'scenario-all boot 79.57': 'omain/devices/disks/0/bootOrder","value":2}]',
};

/** What the recorder looked up beside the states. */
const LOOKED_UP: [RegExp, (player: Player, name: string, match: RegExpExecArray) => Promise<void>][] = [
  [
    /^VM (404)$/,
    async ({ vms }, name) => {
      await expect(vms.vm(name)).rejects.toMatchObject({ status: 404 });
    },
  ],
  [
    /^generation (\d+)$/,
    async ({ vms }, name, [, generation]) => {
      expect((await vms.vm(name)).metadata.generation).toBe(Number(generation));
    },
  ],
  [
    /^VMI booted with (\d+) (\[.*\])$/,
    async ({ vms }, name, [, nic, disks = '']) => {
      const devices = (await vms.vmi(name))?.spec.domain.devices;
      expect(devices?.interfaces?.map(({ bootOrder }) => bootOrder)).toEqual([Number(nic)]);
      expect(devices?.disks?.map(({ bootOrder = null }) => bootOrder)).toEqual(JSON.parse(disks));
    },
  ],
  [
    /^vmi volumes (\[.*\])$/,
    async ({ vms }, name, [, volumes = '']) => {
      const names = (JSON.parse(volumes) as { name: string }[]).map((volume) => volume.name);
      await vms.until(name, ({ vmi }) => {
        return JSON.stringify(vmi?.spec.volumes?.map((volume) => volume.name)) === JSON.stringify(names);
      });
    },
  ],
  [
    /^\{"bootloader":(.*),"serial":"[0-9a-f-]{36}","uuid":"[0-9a-f-]{36}"\}$/,
    async ({ vms }, name, [, bootloader = '']) => {
      const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
      const { firmware } = (await vms.vm(name)).spec.template.spec.domain;
      expect(firmware).toEqual({ bootloader: JSON.parse(bootloader) as object, serial: uuid, uuid });
    },
  ],
];

describe.each(FILES)('what was recorded in %s', (file) => {
  const scenarios = scenariosOf(file);
  /** All combinations that were seen then, in either file. */
  const recorded = new Set<string>();
  const played = { lines: 0, left: 0, words: 0 };

  for (const scenario of FILES.flatMap(recordedIn)) {
    for (const line of scenario.lines) if (line.kind === 'state') recorded.add(pairOf(line));
  }

  it.each(scenarios)('$name is so here', async (scenario) => {
    const staging = STAGING[`${file} ${scenario.name}`] ?? {};
    const player = new Player(world, kubeVirt, namespaces[file] ?? '', staging.template ?? {});
    const name = new Names(scenario);
    onTestFinished(() => player.close());
    for (const line of scenario.lines) {
      await staging.before?.[line.time]?.(player);
      const id = `${file} ${scenario.name} ${line.time}`;
      name.follow(line);
      if (line.kind === 'remark' && OWN_WORDS.some((words) => words.test(line.text))) played.words += 1;
      else if (NOT_PLAYED[id] !== undefined) played.left += 1;
      else {
        await playLine(line, id, player, name.current);
        played.lines += 1;
      }
    }
    const never = [...player.pairs].filter((pair) => !recorded.has(pair) && !pair.endsWith(GATED) && pair !== BRIEF);
    expect(never).toEqual([]);
  });

  it('is played to the last line, but for those that are listed', () => {
    const lines = scenarios.reduce((sum, scenario) => sum + scenario.lines.length, 0);
    const listed = Object.keys(NOT_PLAYED).filter((id) => id.startsWith(`${file} `));
    expect(played.left).toBe(listed.length);
    expect(played.lines + played.left + played.words).toBe(lines);
  });
});

function recordedIn(file: (typeof FILES)[number]): Scenario[] {
  return parseRecording(readTestdata(file));
}

/** What is played: what was recorded, with the kubelet's part in it. */
function scenariosOf(file: (typeof FILES)[number]): Scenario[] {
  return recordedIn(file).map((scenario) => ({ ...scenario, lines: scenario.lines.map(withReadinessGate) }));
}

/** Ready of a paused guest, and for a moment after it: the kubelet follows the pod's readiness gate. */
const GATED = 'Ready=False/ReadinessGatesNotReady';

/** Of a paused start, for a moment: virt-handler writes Running and Paused at once, and Ready follows. */
const BRIEF = 'Paused Ready=False/GuestNotRunning';

/** The recorder's node left the pod of a paused guest ready, which a kubelet does not. */
function withReadinessGate(line: Line): Line {
  if (line.kind !== 'state' || line.instance !== 'Running' || line.printableStatus !== 'Paused') return line;
  const conditions = line.conditions.map((condition) => (condition === 'Ready=True' ? GATED : condition));
  return { ...line, ready: false, conditions };
}

/** The VM that a scenario is about: the one that it made last. */
class Names {
  current: string;

  constructor({ name }: Scenario) {
    this.current = name;
  }

  follow(line: Line): void {
    if (line.kind === 'call' && line.verb === 'CREATE') this.current = line.target;
  }
}

async function playLine(line: Line, id: string, player: Player, name: string): Promise<void> {
  if (line.kind === 'state') await player.pass(line);
  else if (line.kind === 'call') {
    const end = ENDS[id];
    if (end === undefined) await player.play(line);
    else {
      const { resourceVersion = '' } = (await player.vms.vm(name)).metadata;
      const body =
        line.body.replace(/("resourceVersion","value":|Version","value":)"\d+"/, `$1"${resourceVersion}"`) + end;
      await player.play({ ...line, body });
    }
  } else {
    for (const [pattern, check] of LOOKED_UP) {
      const match = pattern.exec(line.text);
      if (match === null) continue;
      await check(player, name, match);
      return;
    }
    throw new Error(`nobody knows what to do with: ${id} ${line.text}`);
  }
}
