import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually, type HttpAnswer } from '../../../../test/harness/index.ts';
import { readTestdata } from './recording/testdata.ts';
import { isOff, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const recording = readTestdata('edge');

/** Lines that are not played, and why. */
const NOT_PLAYED: [RegExp, string][] = [
  [/^# /, 'the recorder’s own words'],
  [/^DIRECT vmi spec patch:$/, 'the recorder’s own words'],
  [/^screenshot .*40[13]/, 'RBAC is the API server’s, and the embedded one has none'],
];

const world = await cluster();
const { kubeVirt } = await world.standIns({ parts: ['kubevirt'], bootTime: 60, kubeVirt: { shutdownTime: 60 } });
const vms = new VirtualMachines(world, await world.namespace());

/** `mg` runs, and its node is lost while the first lines are played; `e` does not get beyond Scheduling. */
const slow = { metadata: { annotations: { 'sandbox.kubevirt.io/boot-time': '60000' } } };

let hold: { resume(): void } | undefined;

type Play = (match: RegExpExecArray) => Promise<void>;

const PLAYS: [RegExp, Play][] = [
  [
    /^virt-handler down, VMI Running: (\w+) (\d+) (\S+) (.*)$/,
    async ([, verb = '', status, type, message = '']) => {
      const node = (await vms.vmi('mg'))?.status?.nodeName ?? '';
      await kubeVirt.loseNode(node);
      const answer = await vms.answer('PUT', `virtualmachineinstances/mg/${verb}`);
      await kubeVirt.recoverNode(node);
      expect(addressless(lineOf(answer))).toBe(addressless(`${status} ${type} ${message}`));
    },
  ],
  [
    /^create e (\d+) /,
    async ([, status]) => {
      expect(await vms.create('e', { runStrategy: 'Manual' }, slow)).toBe(status);
      await vms.until('e', isOff);
    },
  ],
  [
    /^start (\d+) /,
    async ([, status]) => {
      expect(await vms.put('virtualmachines/e/start')).toBe(status);
    },
  ],
  [
    /^vmi phase (\w+)$/,
    async ([, phase]) => {
      await vms.until('e', ({ vm, vmi }) => vmi?.status?.phase === phase && !vm.status?.stateChangeRequests);
    },
  ],
  [
    /^Scheduling: (\w+) (\d+) (undefined|application\/json|text\/plain; charset=utf-8) ?(.*)$/,
    async ([, what = '', status, type, message]) => {
      // The recorder asked on while the restart waited for virt-controller.
      if (what === 'restart') hold = kubeVirt.holdController();
      const answer = await vms.answer(...requestOf(what, 'e'));
      expect(lineOf(answer)).toBe(`${status} ${type} ${message}`.trimEnd());
    },
  ],
  [
    // The recorder cut this line off.
    /^after restart in Scheduling: (\{.*)$/,
    async ([, text = '']) => {
      expect(text).toContain('"reason":"GuestNotRunning"');
      expect(text).toContain('"created":true');
      expect(text).toContain('"printableStatus":"Starting"');
      hold?.resume();
      // The VM's conditions follow those of its instance a write later.
      await vms.until('e', ({ vm, vmi }) => {
        const isStarting = vm.status?.printableStatus === 'Starting' && vm.status.created === true;
        const [ready] = vm.status?.conditions ?? [];
        const hasReason = ready?.type === 'Ready' && ready.status === 'False' && ready.reason === 'GuestNotRunning';
        return isStarting && hasReason && vmi?.status?.phase === 'Scheduling' && !vm.status?.stateChangeRequests;
      });
    },
  ],
  [
    /^vmi Running (\[.*\]) spec mac: (\w+) vm mac: (\w+)$/,
    async ([, interfaces = '', ...macs]) => {
      const { vm, vmi } = await vms.see('mg');
      const [recorded] = JSON.parse(interfaces) as object[];
      const [seen] = vmi?.status?.interfaces ?? [];
      expect(Object.keys(seen ?? {})).toEqual(expect.arrayContaining(Object.keys(recorded ?? {})));
      expect(
        [vmi?.spec, vm.spec.template.spec].map((spec) => String(spec?.domain.devices.interfaces?.[0]?.macAddress)),
      ).toEqual(macs);
    },
  ],
  [
    /^status keys (\S+) conditions (\S+)$/,
    async ([, keys = '', ready = '']) => {
      const { status } = (await vms.see('mg')).vmi ?? {};
      // The stand-in does without a revision of the template, and the recorder's node had no SELinux.
      const compared = (list: string[]) =>
        list.filter((key) => key !== 'virtualMachineRevisionName' && key !== 'selinuxContext');
      expect(compared(Object.keys(status ?? {}).toSorted())).toEqual(compared(keys.split(',')));
      expect(status?.conditions?.map(({ type, status: value }) => `${type}=${value}`)).toContain(ready);
    },
  ],
  [
    /^patch vmi (\d+) (\S+) (.*)$/,
    async ([, status, , message]) => {
      const change = { spec: { terminationGracePeriodSeconds: 0 } };
      const answer = await vms.patch('virtualmachineinstances/mg', 'merge', change);
      expect(answer).toBe(`${status} Invalid: ${message}`);
    },
  ],
  [
    /^delete vmi (\d+) /,
    async ([, status]) => {
      expect(await vms.delete('virtualmachineinstances/mg')).toBe(status);
    },
  ],
  [
    /^after direct VMI delete \(Manual\): (\w+)$/,
    async ([, printableStatus]) => {
      const { vm } = await vms.until('mg', isOff);
      expect(vm.status?.printableStatus).toBe(printableStatus);
    },
  ],
  [
    /^two parallel starts: (.*)$/,
    async ([, answers = '']) => {
      const recorded = answers.split(' | ').map((answer) => answer.trim());
      // Whether a loser meets the winner as it writes is chance: it is tried until all do.
      await eventually(async () => {
        await vms.put('virtualmachines/mg/stop', { gracePeriod: 0 });
        await vms.until('mg', isOff);
        const hold = kubeVirt.holdController();
        const seen = await Promise.all(recorded.map(() => vms.putOnce('virtualmachines/mg/start')));
        hold.resume();
        await vms.untilRunning('mg');
        const plain = seen.map((answer) => answer.replace('InternalError: ', ''));
        expect(plain.toSorted()).toEqual(recorded.toSorted());
      });
    },
  ],
];

/** The call behind the recorder's word for it. */
function requestOf(what: string, name: string): ['GET' | 'PUT', string] {
  if (what === 'screenshot') return ['GET', `virtualmachineinstances/${name}/vnc/screenshot`];
  if (what === 'console') return ['GET', `virtualmachineinstances/${name}/console`];
  const resource = what === 'start' || what === 'restart' ? 'virtualmachines' : 'virtualmachineinstances';
  return ['PUT', `${resource}/${name}/${what}`];
}

/** `<status> <type> <message>`, as the recorder printed it. */
function lineOf({ status, headers, body }: HttpAnswer): string {
  const type = String(headers['content-type']);
  if (body === undefined) return `${status} ${type}`;
  const message = typeof body === 'string' ? body : (body as { message?: string }).message;
  return `${status} ${type} ${message ?? ''}`;
}

/** Where virt-handler listens and in which namespace the VM is are no matter of KubeVirt's. */
function addressless(line: string): string {
  return line.replaceAll(/127\.0\.0\.\d:\d+/g, '<address>').replace(/namespaces\/[^/]+/, 'namespaces/<namespace>');
}

describe('what was recorded in edge', () => {
  beforeAll(async () => {
    await vms.running('mg', 'Manual', {});
  });

  const lines = recording.split('\n').filter((line) => line !== '');
  const played = lines.filter((line) => !NOT_PLAYED.some(([pattern]) => pattern.test(line)));

  // In this order: each line stands on those before it.
  for (const [index, line] of played.entries()) {
    it(`line ${index + 1}: ${line.slice(0, 100)}`, async () => {
      const found = PLAYS.map(([pattern, play]) => ({ match: pattern.exec(line), play })).find(({ match }) => match);
      if (found?.match === null || found === undefined) throw new Error(`nobody knows what to do with: ${line}`);
      await found.play(found.match);
    });
  }

  it('is played to the last line, but for those that are listed', () => {
    expect(lines.length - played.length).toBe(5);
  });
});
