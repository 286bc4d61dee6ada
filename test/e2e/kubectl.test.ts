import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kube/index.ts';
import { kubeconfigYaml, startCluster, type EmbeddedCluster } from '../../src/sandbox/index.ts';
import { eventually } from '../harness/eventually.ts';
import { quietLogger } from '../harness/quiet-logger.ts';
import { repository } from '../harness/repository.ts';
import { findTool } from '../tools/index.ts';

const kubectlPath = findTool('kubectl');

const PROGRAM = 'console.log("hello from the pod"); setInterval(() => undefined, 1000)';

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
`;

const BMC = `
apiVersion: bmc.kubevirt.io/v1beta1
kind: VirtualMachineBMC
metadata: {name: one}
spec: {virtualMachineRef: {name: vm}, service: {type: ClusterIP}}
`;

interface Output {
  code: number | null;
  stdout: string;
  stderr: string;
}

describe.skipIf(kubectlPath === undefined)('kubectl drives the sandbox', () => {
  let cluster: EmbeddedCluster;
  let directory: string;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'groundcrew-kubectl-'));
    cluster = await startCluster({
      apiPort: 0,
      bootTime: 10,
      images: { web: { command: [process.execPath, '-e', PROGRAM] } },
      directory,
      clock: systemClock,
      random: randomBytes,
      logger: quietLogger,
    });
    const kubeconfig = join(directory, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigYaml({ ...cluster, contextName: 'test' }), { mode: 0o600 });
    environment = { PATH: process.env['PATH'], HOME: directory, KUBECONFIG: kubeconfig };
    await kubectl('apply', '-f', join(repository, 'charts/groundcrew/files/crds'));
    await kubectl('wait', '--for=condition=Established', 'crd/virtualmachinebmcs.bmc.kubevirt.io', '--timeout=10s');
  });
  afterAll(async () => {
    await cluster.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Runs it to its end, whatever that is. */
  async function attempt(args: string[], input = '', more: NodeJS.ProcessEnv = {}): Promise<Output> {
    const child = spawn(kubectlPath ?? '', args, { env: { ...environment, ...more }, timeout: 20_000 });
    const output: Output = { code: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    child.stdin.end(input);
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        resolve({ ...output, code });
      });
    });
  }

  async function run(args: string[], input = '', more: NodeJS.ProcessEnv = {}): Promise<string> {
    const { code, stdout, stderr } = await attempt(args, input, more);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code ?? 'a signal'}: ${stderr}`);
    return stdout.trim();
  }

  const kubectl = (...args: string[]): Promise<string> => run(args);
  const apply = (manifest: string, ...args: string[]): Promise<string> => run(['apply', ...args, '-f', '-'], manifest);

  it('applies, gets and describes a resource of ours', async () => {
    expect(await apply(BMC)).toBe('virtualmachinebmc.bmc.kubevirt.io/one created');
    expect(await apply(BMC)).toBe('virtualmachinebmc.bmc.kubevirt.io/one unchanged');
    expect(await apply(BMC.replace('ClusterIP', 'NodePort'))).toBe('virtualmachinebmc.bmc.kubevirt.io/one configured');
    expect((await kubectl('get', 'vmbmc')).split('\n')[0]).toMatch(/^NAME +VIRTUALMACHINE +/);
    expect(await kubectl('get', 'vmbmc', 'one', '-o', 'jsonpath={.spec.service.type} {.metadata.generation}')).toBe(
      'NodePort 2',
    );
    expect(JSON.parse(await kubectl('get', 'vmbmc', '-o', 'json'))).toMatchObject({
      items: [{ kind: 'VirtualMachineBMC' }],
    });
    expect(await kubectl('get', 'vmbmc', 'one', '-o', 'yaml', '--show-managed-fields')).toContain(
      'manager: kubectl-client-side-apply',
    );
    expect(await kubectl('describe', 'vmbmc', 'one')).toMatch(/Virtual Machine Ref:\n +Name: +vm/);
  });

  it('explains the fields of our kinds and of built-in ones', async () => {
    expect(await kubectl('explain', 'vmbmc.spec.service')).toContain('nodePorts');
    expect(await kubectl('explain', 'ippool.spec', '--recursive')).toContain('serverIP');
    expect(await kubectl('explain', 'pod.spec.containers.image')).toContain('Container image name');
  });

  it('labels, annotates, patches and selects', async () => {
    await kubectl('label', 'vmbmc', 'one', 'team=red');
    await kubectl('annotate', 'vmbmc', 'one', 'note=x');
    await kubectl('patch', 'vmbmc', 'one', '--type=merge', '-p', '{"spec":{"service":{"type":"ClusterIP"}}}');
    await kubectl(
      'patch',
      'vmbmc',
      'one',
      '--type=json',
      '-p',
      '[{"op":"remove","path":"/metadata/annotations/note"}]',
    );
    expect(await kubectl('get', 'vmbmc', '-l', 'team in (red,blue)', '-o', 'name')).toBe(
      'virtualmachinebmc.bmc.kubevirt.io/one',
    );
    expect(await kubectl('get', 'vmbmc', '-l', 'team!=red', '-o', 'name')).toBe('');
    expect(await kubectl('get', 'vmbmc', '--field-selector', 'metadata.name=one', '-o', 'name')).not.toBe('');
  });

  it('edits with an editor, and shows what the schema has against it', async () => {
    const editor = { KUBE_EDITOR: 'sed -i s/ClusterIP/LoadBalancer/' };
    expect(await run(['edit', 'vmbmc', 'one'], '', editor)).toBe('virtualmachinebmc.bmc.kubevirt.io/one edited');
    expect(await kubectl('get', 'vmbmc', 'one', '-o', 'jsonpath={.spec.service.type}')).toBe('LoadBalancer');
    const wrong = await attempt(['apply', '-f', '-'], BMC.replace('ClusterIP', 'Nonsense'));
    expect(wrong.stderr).toContain('spec.service.type: Unsupported value: "Nonsense": supported values: "ClusterIP"');
    const unknown = await attempt(['apply', '-f', '-'], BMC.replace('service:', 'servise:'));
    expect(unknown.stderr).toContain('unknown field "spec.servise"');
    const missing = await attempt(['create', '-f', '-'], BMC.replace('virtualMachineRef: {name: vm}, ', ''));
    expect(missing.stderr).toContain('spec.virtualMachineRef: Required value');
  });

  it('applies on the server, and is told of conflicts', async () => {
    const conflict = await attempt(['apply', '--server-side', '--field-manager=ops', '-f', '-'], BMC);
    expect(conflict.stderr).toContain('conflict with "kubectl-edit" using bmc.kubevirt.io/v1beta1: .spec.service.type');
    expect(await apply(BMC, '--server-side', '--field-manager=ops', '--force-conflicts')).toContain(
      'serverside-applied',
    );
    expect((await attempt(['diff', '-f', '-'], BMC)).code).toBe(0);
  });

  it('creates what it sends as protobuf', async () => {
    await kubectl('create', 'secret', 'generic', 'creds', '--from-literal=username=admin');
    expect(await kubectl('get', 'secret', 'creds', '-o', 'jsonpath={.data.username} {.type}')).toBe('YWRtaW4= Opaque');
    await kubectl('create', 'namespace', 'elsewhere');
    await kubectl('create', 'serviceaccount', 'bob', '-n', 'elsewhere');
    const token = await kubectl('create', 'token', 'bob', '-n', 'elsewhere');
    expect(await kubectl('--token', token, 'auth', 'whoami')).toContain('system:serviceaccount:elsewhere:bob');
    await kubectl('delete', 'namespace', 'elsewhere');
    expect((await attempt(['get', 'namespace', 'elsewhere'])).stderr).toContain('not found');
  });

  it('watches', async () => {
    const child = spawn(kubectlPath ?? '', ['get', 'vmbmc', '-w', '-L', 'at'], { env: environment });
    let lines: string[] = [];
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      lines = text.split('\n').filter((line) => line.startsWith('one'));
    });
    await eventually(() => {
      expect(lines).toHaveLength(1);
    });
    await kubectl('label', 'vmbmc', 'one', 'at=last');
    await eventually(() => {
      expect(lines).toHaveLength(2);
    });
    child.kill();
    expect(lines[1]).toMatch(/ last$/);
  });

  it('deploys, waits, and reads logs and events', async () => {
    expect(await apply(DEPLOYMENT)).toBe('deployment.apps/web created\nservice/web created');
    await kubectl('wait', '--for=condition=Available', 'deployment/web', '--timeout=20s');
    expect(await kubectl('rollout', 'status', 'deployment/web', '--timeout=10s')).toContain('successfully rolled out');
    expect(await kubectl('get', 'pods', '-o', 'wide')).toMatch(/web-\S+ +1\/1 +Running +0 +\d+s +127\.64\./);
    await eventually(async () => {
      expect(await kubectl('logs', 'deployment/web')).toBe('hello from the pod');
    });
    expect(await kubectl('describe', 'pod', '-l', 'app=web')).toMatch(/Started/);
    expect(await kubectl('get', 'events')).toMatch(/Normal +Started +pod\/web-/);
    expect(await kubectl('get', 'deployment,service')).toMatch(/deployment.apps\/web +1\/1/);
    await kubectl('scale', 'deployment/web', '--replicas=2');
    await kubectl('wait', '--for=jsonpath={.status.readyReplicas}=2', 'deployment/web', '--timeout=20s');
  });

  it('deletes, and dependents go too', async () => {
    await kubectl('delete', 'deployment', 'web', '--cascade=foreground', '--timeout=20s');
    expect(await kubectl('get', 'replicasets,pods', '-l', 'app=web', '-o', 'name')).toBe('');
    await kubectl('delete', 'service/web', 'secret/creds', 'vmbmc/one');
    expect((await attempt(['get', 'vmbmc', 'one'])).stderr).toContain(
      'virtualmachinebmcs.bmc.kubevirt.io "one" not found',
    );
  });

  it('is told what is wrong, and who it must be', async () => {
    expect((await attempt(['--token', 'wrong', 'get', 'pods'])).stderr).toContain('Unauthorized');
    expect((await attempt(['get', 'nonsense'])).stderr).toContain(`the server doesn't have a resource type "nonsense"`);
    const unknown = await attempt(['apply', '-f', '-'], 'apiVersion: nope.io/v1\nkind: Nope\nmetadata: {name: x}\n');
    expect(unknown.stderr).toContain('no matches for kind "Nope" in version "nope.io/v1"');
  });
});
