import { beforeAll, describe, expect, it } from 'vitest';
import { cells, cluster, eventually, kubectlScene } from '../../../../test/harness/index.ts';
import { needs } from '../../../../test/tools/index.ts';

const { namespace, kubectl, standIns } = await cluster();

let where = '';
const { run, fail, attempt } = kubectlScene(kubectl, () => where);

/** Says who it is, then counts. */
const COUNTER = `console.log('I am ' + (process.argv[1] ?? 'nobody'));
let count = 0;
setInterval(() => console.log('line ' + (count += 1)), 100);`;
/** Fails the first time and stays the second. */
const STUMBLER = `const { existsSync, writeFileSync } = require('node:fs');
const before = existsSync('/tmp/' + process.argv[1]);
console.log(before ? 'second run' : 'first run');
if (before) setInterval(() => undefined, 1000);
else { writeFileSync('/tmp/' + process.argv[1], ''); process.exitCode = 3; }`;

const deployment = (name: string, version: string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: main, image: counter, args: ["${version}"]}]
`;

describe('kubectl and workloads', needs('kubectl'), () => {
  beforeAll(async () => {
    await standIns({
      parts: ['deployments', 'kubelet', 'services', 'kubevirt'],
      images: {
        counter: { command: [process.execPath, '-e', COUNTER] },
        stumbler: { command: [process.execPath, '-e', STUMBLER] },
      },
    });
    where = await namespace();
  });

  describe('a Deployment', () => {
    it('is rolled out, scaled, restarted, changed and rolled back', async () => {
      const ready = async () => (await run('rollout status deployment/web --timeout=50s')).split('\n').at(-1);
      const out = 'deployment "web" successfully rolled out';
      expect(await run('apply -f -', { stdin: deployment('web', 'one') })).toBe('deployment.apps/web created');
      expect(await ready()).toBe(out);
      expect(await run('wait deployment/web --for=condition=Available --timeout=30s')).toBe(
        'deployment.apps/web condition met',
      );
      expect(cells(await run('get deployment web'))[1]).toBe('web | 1/1 | 1 | 1 | AGE');
      expect(cells(await run('get pods -l app=web -o wide'))[1]).toMatch(
        /^web-[a-z0-9]+-[a-z0-9]+ \| 1\/1 \| Running \| 0 \| AGE \| 127\.64\.\d+\.\d+ \| sandbox \| <none> \| <none>$/,
      );

      expect(await run('scale deployment/web --replicas=2')).toBe('deployment.apps/web scaled');
      expect(await run('wait deployment/web --for=jsonpath={.status.readyReplicas}=2 --timeout=30s')).toBe(
        'deployment.apps/web condition met',
      );
      expect(await run('rollout restart deployment/web')).toBe('deployment.apps/web restarted');
      expect(await ready()).toBe(out);

      expect(await run('apply -f -', { stdin: deployment('web', 'two') })).toBe('deployment.apps/web configured');
      expect(await ready()).toBe(out);
      expect(cells(await run('rollout history deployment/web'))).toEqual([
        'deployment.apps/web',
        'REVISION | CHANGE-CAUSE',
        '1 | <none>',
        '2 | <none>',
        '3 | <none>',
      ]);
      expect(await run('rollout undo deployment/web')).toBe('deployment.apps/web rolled back');
      expect(await ready()).toBe(out);
      expect(await run('get deployment web -o jsonpath={.spec.template.spec.containers[0].args[0]}')).toBe('one');
      expect(await run('rollout pause deployment/web')).toBe('deployment.apps/web paused');
      expect(await run('rollout resume deployment/web')).toBe('deployment.apps/web resumed');
    }, 240_000);

    it('is deleted with all that is its own', async () => {
      await run('apply -f -', { stdin: deployment('gone', 'one') });
      await run('rollout status deployment/gone --timeout=50s');
      expect(await run('delete deployment gone --cascade=foreground --timeout=50s')).toBe(
        'deployment.apps "gone" deleted',
      );
      expect(await run('get replicasets,pods -l app=gone -o name')).toBe('');
    }, 120_000);

    it('leaves its ReplicaSet behind where it is told to', async () => {
      await run('apply -f -', { stdin: deployment('left', 'one') });
      await run('rollout status deployment/left --timeout=50s');
      await run('delete deployment left --cascade=orphan');
      await eventually(async () => {
        expect(await run('get replicasets -l app=left -o jsonpath={.items[*].metadata.ownerReferences}')).toBe('');
      });
      expect(await run('get replicasets,pods -l app=left -o name')).toMatch(
        /^replicaset\.apps\/left-[a-z0-9]+\npod\/left-[a-z0-9]+-[a-z0-9]+$/,
      );
      await run('delete replicasets -l app=left --cascade=foreground --timeout=50s');
      expect(await run('get pods -l app=left -o name')).toBe('');
    }, 120_000);
  });

  describe('logs', () => {
    const pod = (name: string, image: string) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: ${name}}}
spec:
  nodeName: sandbox
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 1
  containers: [{name: main, image: ${image}, args: ["${name}-${where}"]}]
`;

    it('are read from their beginning, from their end, and as they come', async () => {
      await run('create -f -', { stdin: pod('talker', 'counter') });
      await run('wait pod/talker --for=condition=Ready --timeout=50s');
      const lines = await eventually(async () => {
        const text = (await run('logs talker')).split('\n');
        expect(text.length).toBeGreaterThan(3);
        return text;
      });
      expect(lines.slice(0, 3)).toEqual([`I am talker-${where}`, 'line 1', 'line 2']);
      expect(await run('logs talker -c main --tail=1')).toMatch(/^line \d+$/);
      expect((await run('logs -l app=talker --tail=2')).split('\n')).toHaveLength(2);
      expect(await run('logs talker --limit-bytes=4')).toBe('I am');
      expect(await run('logs talker --timestamps --tail=1')).toMatch(/^\d{4}-\d\d-\d\dT\S+Z line \d+$/);
      const followed = await attempt('logs talker -f --tail=1', { until: (text) => text.split('\n').length > 4 });
      const numbers = [...followed.stdout.matchAll(/^line (\d+)$/gm)].map(([, number]) => Number(number));
      expect(numbers.length).toBeGreaterThan(3);
      expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    }, 120_000);

    it('are kept of the run before', async () => {
      await run('create -f -', { stdin: pod('stumbler', 'stumbler') });
      await run('wait pod/stumbler --for=jsonpath={.status.containerStatuses[0].restartCount}=1 --timeout=50s');
      await eventually(
        async () => {
          expect(await run('logs stumbler')).toBe('second run');
        },
        { timeout: 30_000 },
      );
      expect(await run('logs stumbler --previous')).toBe('first run');
      expect(cells(await run('get pod stumbler'))[1]).toMatch(/^stumbler \| 1\/1 \| Running \| 1 \(\d+s ago\) \| AGE$/);
    }, 120_000);

    it('are not there where nothing has run', async () => {
      expect(await fail('logs nope')).toMatch(/error from server \(NotFound\): pods "nope" not found/i);
      expect(await fail('logs talker -c nope')).toBe('error: container nope is not valid for pod talker');
      expect((await attempt('logs talker --previous')).stderr).toMatch(
        /^Error from server \(BadRequest\): previous terminated container "main" in pod "talker" not found\n$/,
      );
      expect(await fail('logs talker --tail=-2')).toMatch(/--tail must be greater than or equal to -1/);
    });

    it('come with events that say how it went', async () => {
      expect(await run('describe pod talker')).toMatch(/\nEvents:\n(.*\n)* {2}Normal {2}Started {2,}\S+ {2,}kubelet/);
      expect(
        cells(await run('events --for pod/stumbler')).some((line) => / \| Started \| Pod\/stumbler \| /.test(line)),
      ).toBe(true);
      await run('delete pod talker stumbler --now');
    }, 60_000);
  });

  describe('a VirtualMachine', () => {
    const machine = `apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Halted
  template: {spec: {domain: {devices: {}}}}
`;

    it('is made, started, seen, changed and deleted', async () => {
      expect(await run('apply -f -', { stdin: machine })).toBe('virtualmachine.kubevirt.io/web created');
      await run('wait vm/web --for=jsonpath={.status.printableStatus}=Stopped --timeout=30s');
      expect(await run(`patch vm web --type=merge -p '{"spec":{"runStrategy":"Always"}}'`)).toBe(
        'virtualmachine.kubevirt.io/web patched',
      );
      expect(await run('wait vm/web --for=condition=Ready --timeout=50s')).toBe(
        'virtualmachine.kubevirt.io/web condition met',
      );
      expect(cells(await run('get vm web'))).toEqual(['NAME | AGE | STATUS | READY', 'web | AGE | Running | True']);
      expect(cells(await run('get vmi web'))[1]).toMatch(/^web \| AGE \| Running \| /);
      expect(await run('describe vm web')).toMatch(/\n {2}Printable Status: +Running\n/);
      expect(await run('edit vm web', { env: { KUBE_EDITOR: 'sed -i s/Always/Manual/' } })).toBe(
        'virtualmachine.kubevirt.io/web edited',
      );
      const stop = `/apis/subresources.kubevirt.io/v1/namespaces/${where}/virtualmachines/web/stop`;
      await run(`replace --raw ${stop} -f -`, { stdin: '{}' });
      await run('wait vm/web --for=jsonpath={.status.printableStatus}=Stopped --timeout=50s');
      expect(await run('wait vmi/web --for=delete --timeout=50s')).toBe('');
      expect(await run('delete vm web --timeout=50s')).toBe('virtualmachine.kubevirt.io "web" deleted');
    }, 240_000);
  });
});
