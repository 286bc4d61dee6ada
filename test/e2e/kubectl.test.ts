import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cells, kubectlScene } from '../harness/kubectl-scene.ts';
import { kubectlWith } from '../harness/kubectl.ts';
import { eventually } from '../harness/eventually.ts';
import { repository } from '../harness/repository.ts';
import { descendantsOf, isAlive, startSandbox, type Sandbox } from '../harness/sandbox/index.ts';
import { needs } from '../tools/index.ts';

const BMC = 'virtualmachinebmc.bmc.kubevirt.io/testvm-bmc';
const AGENTS = '-l app.kubernetes.io/component=bmc-agent';
const AGENT = `${AGENTS},kubevirt.io/virtualmachinebmc-name=testvm-bmc`;

const example = (name: string) => readFileSync(join(repository, `examples/${name}.yaml`), 'utf8');

describe('kubectl drives the sandbox', needs('kubectl'), () => {
  let sandbox: Sandbox;
  const { run, fail, attempt } = kubectlScene(
    (args, options) => kubectlWith(sandbox.kubeconfig, sandbox.folder)(args, options),
    () => 'default',
  );
  const field = (path: string, of: string) => run(`get ${of} -o jsonpath={${path}}`);

  beforeAll(async () => {
    sandbox = await startSandbox({ vms: 1 });
  });
  afterAll(async () => {
    await sandbox.close();
  });

  it('lists the resources', async () => {
    expect(cells(await run('get vmbmc'))).toEqual([
      'NAME | VIRTUALMACHINE | SECRET | CLUSTERIP | SERVICEREADY | PHASE | POWER | AGE',
      expect.stringMatching(/^vm-1 \| vm-1 \| 127\.96\.\d+\.\d+ \| True \| Ready \| Off \| AGE$/),
    ]);
    expect(cells(await run('get vm'))).toEqual(['NAME | AGE | STATUS | READY', 'vm-1 | AGE | Stopped | False']);
    expect(cells(await run(`get pods ${AGENTS} -o wide`))[1]).toMatch(
      /^vm-1-virtbmc-\S+ \| 1\/1 \| Running \| 0 \| AGE \| 127\.64\.\d+\.\d+ \| sandbox \| <none> \| <none>$/,
    );
    expect(cells(await run('get service vm-1-virtbmc'))[1]).toMatch(
      /^vm-1-virtbmc \| NodePort \| 127\.96\.\d+\.\d+ \| <none> \| 623:\d+\/UDP,443:\d+\/TCP \| AGE$/,
    );
    expect(cells(await run('get deployment vm-1-virtbmc'))[1]).toBe('vm-1-virtbmc | 1/1 | 1 | 1 | AGE');
    expect(cells(await run('get secret vm-1-credentials'))[1]).toBe('vm-1-credentials | Opaque | 2 | AGE');
    expect(await run('describe vmbmc vm-1')).toMatch(/ {4}Message: +The BMC answers\.\n(.*\n){2} {4}Status: +True\n/);
  });

  it('explains the fields', async () => {
    expect(await run('explain vmbmc.spec.service')).toContain('  nodePorts\t<Object>\n');
    expect(await run('explain ippool.spec --recursive')).toContain('  serverIP\t');
    expect(await run('explain vm.spec.runStrategy')).toContain('FIELD: runStrategy <string>');
  });

  it('applies a machine with its BMC and waits until it answers', async () => {
    expect(await run('apply -f -', { stdin: example('virtualmachine') })).toBe(
      'virtualmachine.kubevirt.io/testvm created',
    );
    expect(await run('apply -f -', { stdin: `${example('secret')}\n---\n${example('virtualmachinebmc')}` })).toBe(
      `secret/testvm-bmc-credentials created\n${BMC} created`,
    );
    expect(await run('wait vmbmc/testvm-bmc --for=condition=Ready --timeout=50s')).toBe(`${BMC} condition met`);
    expect(await run('wait vmbmc/testvm-bmc --for=jsonpath={.status.powerState}=Off --timeout=30s')).toBe(
      `${BMC} condition met`,
    );
    expect(await run('apply -f -', { stdin: example('virtualmachinebmc') })).toBe(`${BMC} unchanged`);
    expect(await run('rollout status deployment/testvm-virtbmc --timeout=30s')).toBe(
      'deployment "testvm-virtbmc" successfully rolled out',
    );
  });

  it('edits the machine and shows the result', async () => {
    const editor = (script: string) => ({ env: { KUBE_EDITOR: `sed -i ${script}` } });
    expect(await run('edit vmbmc testvm-bmc', editor('s/ClusterIP/NodePort/'))).toBe(`${BMC} edited`);
    expect(await run('wait service/testvm-virtbmc --for=jsonpath={.spec.type}=NodePort --timeout=30s')).toBe(
      'service/testvm-virtbmc condition met',
    );
    expect(await run('edit vm testvm', editor('s/Manual/Always/'))).toBe('virtualmachine.kubevirt.io/testvm edited');
    expect(await run('wait vm/testvm --for=condition=Ready --timeout=50s')).toBe(
      'virtualmachine.kubevirt.io/testvm condition met',
    );
    expect(await run('wait vmbmc/testvm-bmc --for=jsonpath={.status.powerState}=On --timeout=30s')).toBe(
      `${BMC} condition met`,
    );
    expect(cells(await run('get vmi testvm'))[1]).toMatch(/^testvm \| AGE \| Running \| /);
    const refused = await attempt('edit vmbmc testvm-bmc', editor('s/NodePort/Nonsense/'));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('error: virtualmachinebmcs.bmc.kubevirt.io "testvm-bmc" is invalid');
    expect(await field('.spec.service.type', 'vmbmc/testvm-bmc')).toBe('NodePort');
  });

  it('patches, labels and selects', async () => {
    expect(await run('label vmbmc testvm-bmc team=red')).toBe(`${BMC} labeled`);
    expect(await run('annotate vmbmc testvm-bmc note=x')).toBe(`${BMC} annotated`);
    expect(
      await run(`patch vmbmc testvm-bmc --type=json -p '[{"op":"remove","path":"/metadata/annotations/note"}]'`),
    ).toBe(`${BMC} patched`);
    expect(await run(`patch vmbmc testvm-bmc --type=merge -p '{"spec":{"service":{"type":"ClusterIP"}}}'`)).toBe(
      `${BMC} patched`,
    );
    expect(await run("get vmbmc -l 'team in (red,blue)' -o name")).toBe(BMC);
    expect(await run('get vmbmc -l team!=red -o name')).toBe('virtualmachinebmc.bmc.kubevirt.io/vm-1');
    expect(
      await fail('apply --server-side --field-manager=ops -f -', {
        stdin: example('virtualmachinebmc').replace('ClusterIP', 'NodePort'),
      }),
    ).toMatch(
      /^error: Apply failed with 1 conflict: conflict with "kubectl-patch" using bmc\.kubevirt\.io\/v1beta1: \.spec\.service\.type\n/,
    );
    expect((await attempt('diff -f -', { stdin: example('virtualmachinebmc') })).code).toBe(0);
  });

  it('reads the logs of an agent, current and previous', async () => {
    const pod = await run(`get pods ${AGENT} -o name`);
    const text = await run(`logs ${pod}`);
    // As in the image, with Node's interface to C.
    expect(text).toContain('"native":{"sockets":true,"hmac":true,"aes":true},"msg":"IPMI is served"');
    expect(await run('logs deployment/testvm-virtbmc --tail=1')).toBe(text.split('\n').at(-1));
    expect(await fail(`logs ${pod} --previous`)).toMatch(
      /^Error from server \(BadRequest\): previous terminated container "agent" in pod "testvm-virtbmc-\S+" not found$/,
    );

    const agent = descendantsOf(sandbox.process.pid ?? 0).find(({ command }) => command.includes('--bmc testvm-bmc '));
    if (agent === undefined) expect.fail('no agent of testvm-bmc runs');
    let hasBegun = false;
    const following = attempt(`logs ${pod} -f --tail=1`, {
      until: (text) => {
        hasBegun = text.includes('\n');
        return false;
      },
    });
    await expect.poll(() => hasBegun, { timeout: 30_000 }).toBe(true);
    expect(isAlive(agent)).toBe(true);
    process.kill(agent.pid, 'SIGKILL');
    // It ends with the container that it follows.
    const followed = await following;
    expect({ code: followed.code, lines: followed.stdout.includes('"level"') }).toEqual({ code: 0, lines: true });

    await run(`wait ${pod} --for=jsonpath={.status.containerStatuses[0].restartCount}=1 --timeout=30s`);
    expect(await run(`logs ${pod} --previous`)).toContain('"msg":"IPMI is served"');
    expect(await run(`wait ${pod} --for=condition=Ready --timeout=30s`)).toBe(`${pod} condition met`);
    expect(cells(await run(`get ${pod}`))[1]).toMatch(/ \| 1\/1 \| Running \| 1 \(\S+ ago\) \| AGE$/);
  });

  it('reads the events', async () => {
    const reasons = async (of: string) =>
      cells(await run(`events --for ${of}`))
        .slice(1)
        .map((line) => line.split(' | ')[2]);
    await eventually(async () => {
      expect(await reasons('vmbmc/testvm-bmc')).toContain('Ready');
    });
    expect(await reasons(await run(`get pods ${AGENT} -o name`))).toEqual(
      expect.arrayContaining(['Pulled', 'Created', 'Started']),
    );
    expect(await run('get events --field-selector involvedObject.kind=Deployment')).toContain('ScalingReplicaSet');
    expect(await run(`describe pods ${AGENT}`)).toMatch(/\n {2}Normal {2,}Started {2,}/);
  });

  it('deletes objects with their dependents', async () => {
    expect(await run('delete vmbmc testvm-bmc --cascade=foreground --timeout=50s')).toBe(
      'virtualmachinebmc.bmc.kubevirt.io "testvm-bmc" deleted',
    );
    await eventually(async () => {
      expect(await run('get deployment,replicaset,service,pod -o name')).not.toContain('testvm-virtbmc');
    });
    expect(await run('delete vm testvm --timeout=50s')).toBe('virtualmachine.kubevirt.io "testvm" deleted');
    expect(await run('wait vmi/testvm --for=delete --timeout=30s')).toBe('');
    expect(await fail('get vmbmc testvm-bmc')).toBe(
      'Error from server (NotFound): virtualmachinebmcs.bmc.kubevirt.io "testvm-bmc" not found',
    );
    // The user's own Secret is kept.
    expect(await run('get secret testvm-bmc-credentials -o name')).toBe('secret/testvm-bmc-credentials');
  });

  it('works in other namespaces as other users', async () => {
    await run('create namespace elsewhere');
    await run('create serviceaccount bob -n elsewhere');
    const token = await run('create token bob -n elsewhere');
    expect(await run(`auth whoami --token=${token}`)).toMatch(/\nUsername +system:serviceaccount:elsewhere:bob\n/);
    expect(await run('delete namespace elsewhere --timeout=30s')).toBe('namespace "elsewhere" deleted');
    expect(await fail('get namespace elsewhere')).toMatch(/not found$/);
  });

  it('shows errors for invalid and missing objects', async () => {
    expect((await attempt('get pods --token=wrong')).stderr).toContain('Unauthorized');
    expect(await fail('get nonsense')).toBe(`error: the server doesn't have a resource type "nonsense"`);
    expect(await fail(`exec deployment/vm-1-virtbmc -- ls`)).toMatch(
      /^Error from server \(NotImplemented\): subresource pods\/exec is not implemented by the sandbox's API server/,
    );
  });
});
