import { beforeEach, describe, expect, it } from 'vitest';
import { cells, cluster, eventually, kubectlScene } from '../../../../test/harness/index.ts';
import { needs } from '../../../../test/tools/index.ts';

const { namespace, kubectl } = await cluster();

let where = '';
const { run, fail, attempt } = kubectlScene(kubectl, () => where);

const BMC = `apiVersion: bmc.kubevirt.io/v1beta1
kind: VirtualMachineBMC
metadata: {name: one}
spec: {virtualMachineRef: {name: web}, service: {type: ClusterIP}}
`;
const SETTINGS = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: green, size: big}
`;
const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "web:1"}]}
`;
const ONE = 'virtualmachinebmc.bmc.kubevirt.io/one';

const apply = (stdin: string, more = '') => run(`apply ${more} -f -`, { stdin });
const field = (path: string, of = 'vmbmc one') => run(`get ${of} -o jsonpath={${path}}`);

describe('kubectl', needs('kubectl'), () => {
  beforeEach(async () => {
    where = await namespace();
  });

  describe('apply', () => {
    it('creates, changes, and leaves alone', async () => {
      expect(await apply(`${BMC}---\n${SETTINGS}`)).toBe(`${ONE} created\nconfigmap/settings created`);
      expect(await apply(`${BMC}---\n${SETTINGS}`)).toBe(`${ONE} unchanged\nconfigmap/settings unchanged`);
      const changed = `${BMC.replace('ClusterIP', 'NodePort')}---\n${SETTINGS.replace(', size: big', '')}`;
      expect(await apply(changed)).toBe(`${ONE} configured\nconfigmap/settings configured`);
      expect(await field('.spec.service.type')).toBe('NodePort');
      expect(await field('.data', 'cm settings')).toBe('{"colour":"green"}');
      expect(await run(`apply view-last-applied vmbmc one -o yaml`)).toContain('type: NodePort');
    });

    it('merges lists of built-in kinds by their keys', async () => {
      await apply(DEPLOYMENT);
      await run(
        `patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side"}]}}}}'`,
      );
      expect(await apply(DEPLOYMENT.replace('web:1', 'web:2'))).toBe('deployment.apps/web configured');
      expect(await field('.spec.template.spec.containers[*].image', 'deployment web')).toBe('side web:2');
    });

    it('tries without doing', async () => {
      expect(await apply(BMC, '--dry-run=server')).toBe(`${ONE} created (server dry run)`);
      expect(await fail('get vmbmc one')).toMatch(/not found$/);
      await apply(BMC);
      expect(await apply(BMC.replace('ClusterIP', 'NodePort'), '--dry-run=server')).toBe(
        `${ONE} configured (server dry run)`,
      );
      expect(await field('.spec.service.type')).toBe('ClusterIP');
    });

    it('removes what is no longer named', async () => {
      const label = (text: string) => text.replace('metadata: {', 'metadata: {labels: {set: a}, ');
      await apply(`${label(SETTINGS)}---\n${label(SETTINGS.replace('settings', 'old'))}`);
      expect(await apply(label(SETTINGS), '--prune -l set=a --prune-allowlist=core/v1/ConfigMap')).toBe(
        'configmap/settings unchanged\nconfigmap/old pruned',
      );
    });

    it('is told what the schema has against it', async () => {
      const refused = async (manifest: string, command = 'apply') => fail(`${command} -f -`, { stdin: manifest });
      expect(await refused(BMC.replace('ClusterIP', 'Nonsense'))).toBe(
        `The VirtualMachineBMC "one" is invalid:
* spec.service.type: Unsupported value: "Nonsense": supported values: "ClusterIP", "NodePort", "LoadBalancer"
* <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation`,
      );
      expect(await refused(BMC.replace('service:', 'servise:'))).toBe(
        'Error from server (BadRequest): error when creating "STDIN": VirtualMachineBMC in version "v1beta1" cannot be handled as a VirtualMachineBMC: strict decoding error: unknown field "spec.servise"',
      );
      expect(await refused(BMC.replace('virtualMachineRef: {name: web}, ', ''), 'create')).toBe(
        `The VirtualMachineBMC "one" is invalid:
* spec.virtualMachineRef: Required value
* <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation`,
      );
      expect(await refused(SETTINGS.replace('\ndata:', '\ndate:'))).toBe(
        'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "date"',
      );
      expect(await refused('apiVersion: nope.io/v1\nkind: Nope\nmetadata: {name: x}\n')).toBe(
        `error: resource mapping not found for name: "x" namespace: "" from "STDIN": no matches for kind "Nope" in version "nope.io/v1"
ensure CRDs are installed first`,
      );
    });
  });

  describe('apply --server-side', () => {
    it('tells of conflicts, and takes over where it is told to', async () => {
      expect(await apply(BMC, '--server-side')).toBe(`${ONE} serverside-applied`);
      expect(await apply(BMC, '--server-side')).toBe(`${ONE} serverside-applied`);
      const other = BMC.replace('ClusterIP', 'NodePort');
      expect(await fail('apply --server-side --field-manager=ops -f -', { stdin: other })).toBe(
        `error: Apply failed with 1 conflict: conflict with "kubectl": .spec.service.type
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts`,
      );
      expect(await apply(other, '--server-side --field-manager=ops --force-conflicts')).toBe(
        `${ONE} serverside-applied`,
      );
      expect(await field('.spec.service.type')).toBe('NodePort');
      expect(await field('.metadata.managedFields[*].manager')).toBe('kubectl ops');
    });

    it('tells of what others have changed', async () => {
      await apply(BMC, '--server-side');
      await run(`patch vmbmc one --type=merge -p '{"spec":{"service":{"type":"NodePort"}}}'`);
      expect(await fail('apply --server-side -f -', { stdin: BMC })).toMatch(
        /^error: Apply failed with 1 conflict: conflict with "kubectl-patch" using bmc\.kubevirt\.io\/v1beta1: \.spec\.service\.type\n/,
      );
    });
  });

  describe('diff', () => {
    it('shows what an apply would change, and says so with its code', async () => {
      await apply(SETTINGS);
      expect(await attempt('diff -f -', { stdin: SETTINGS })).toMatchObject({ code: 0, stdout: '' });
      const { code, stdout } = await attempt('diff -f -', { stdin: SETTINGS.replace('green', 'red') });
      expect(code).toBe(1);
      expect(stdout.split('\n').filter((line) => /^[-+] /.test(line))).toEqual(['-  colour: green', '+  colour: red']);
    });
  });

  describe('edit', () => {
    it('sends what the editor has made of it', async () => {
      await apply(BMC);
      const editor = (script: string) => ({ env: { KUBE_EDITOR: `sed -i ${script}` } });
      expect(await run('edit vmbmc one', editor('s/ClusterIP/LoadBalancer/'))).toBe(`${ONE} edited`);
      expect(await field('.spec.service.type')).toBe('LoadBalancer');
      expect((await attempt('edit vmbmc one', editor('s/nothing/nowhere/'))).stderr).toBe(
        'Edit cancelled, no changes made.\n',
      );
      await apply(DEPLOYMENT);
      expect(await run('edit deployment/web', editor('s/web:1/web:2/'))).toBe('deployment.apps/web edited');
      expect(await field('.spec.template.spec.containers[0].image', 'deployment web')).toBe('web:2');
    });

    it('shows again what was refused', async () => {
      await apply(BMC);
      const { code, stderr } = await attempt('edit vmbmc one', {
        env: { KUBE_EDITOR: 'sed -i s/ClusterIP/Nonsense/' },
      });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: virtualmachinebmcs\.bmc\.kubevirt\.io "one" is invalid\n/);
      expect(stderr).toMatch(/A copy of your changes has been stored to /);
      expect(await field('.spec.service.type')).toBe('ClusterIP');
    });
  });

  describe('patch', () => {
    beforeEach(async () => {
      await apply(`${BMC}---\n${DEPLOYMENT}`);
    });

    it('merges', async () => {
      const patch = `'{"spec":{"service":{"type":"NodePort"}}}'`;
      expect(await run(`patch vmbmc one --type=merge -p ${patch}`)).toBe(`${ONE} patched`);
      expect(await run(`patch vmbmc one --type=merge -p ${patch}`)).toBe(`${ONE} patched (no change)`);
      expect(await fail(`patch vmbmc one --type=merge -p '{"spec":{"service":{"type":"Nope"}}}'`)).toBe(
        `The VirtualMachineBMC "one" is invalid:
* spec.service.type: Unsupported value: "Nope": supported values: "ClusterIP", "NodePort", "LoadBalancer"
* <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation`,
      );
    });

    it('follows steps', async () => {
      expect(await run(`patch vmbmc one --type=json -p '[{"op":"remove","path":"/spec/service"}]'`)).toBe(
        `${ONE} patched`,
      );
      expect(await field('.spec.service')).toBe('');
      expect(await fail(`patch vmbmc one --type=json -p '[{"op":"test","path":"/spec/nope","value":1}]'`)).toMatch(
        /^The request is invalid: the server rejected our request due to an error in our request/,
      );
    });

    it('merges strategically where the kind has a strategy', async () => {
      const patch = `'{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"web:3"}]}}}}'`;
      expect(await run(`patch deployment web -p ${patch}`)).toBe('deployment.apps/web patched');
      expect(await field('.spec.template.spec.containers[*].name', 'deployment web')).toBe('main');
      expect(await fail(`patch vmbmc one -p '{"spec":{}}'`)).toBe(
        'error: application/strategic-merge-patch+json is not supported by bmc.kubevirt.io/v1beta1, Kind=VirtualMachineBMC: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      );
    });

    it('patches the status apart from the rest', async () => {
      const patch = `'{"spec":{"placement":"Shared"},"status":{"phase":"Ready"}}'`;
      expect(await run(`patch vmbmc one --subresource=status --type=merge -p ${patch}`)).toBe(`${ONE} patched`);
      expect(await field('.status.phase')).toBe('Ready');
      expect(await field('.spec.placement')).toBe('Dedicated');
    });
  });

  describe('label and annotate', () => {
    it('set, change and remove', async () => {
      await apply(`${BMC}---\n${SETTINGS}`);
      expect(await run('label vmbmc one team=red')).toBe(`${ONE} labeled`);
      expect(await run('label vmbmc one team=red')).toBe(`${ONE} not labeled`);
      expect(await fail('label vmbmc one team=blue')).toBe(
        `error: 'team' already has a value (red), and --overwrite is false`,
      );
      expect(await run('label vmbmc one team=blue --overwrite')).toBe(`${ONE} labeled`);
      expect(await run('label vmbmc one team-')).toBe(`${ONE} unlabeled`);
      expect(await fail('label vmbmc one team=-bad-')).toMatch(
        /^error: invalid label value: "team=-bad-": a valid label must be /,
      );
      expect(await run('annotate vmbmc/one cm/settings note=x')).toBe(`${ONE} annotated\nconfigmap/settings annotated`);
      expect(await field('.metadata.annotations.note', 'cm settings')).toBe('x');
    });
  });

  describe('create and replace', () => {
    it('make what is new, and put what is there', async () => {
      expect(await run('create -f -', { stdin: BMC })).toBe(`${ONE} created`);
      expect(await fail('create -f -', { stdin: BMC })).toBe(
        'Error from server (AlreadyExists): error when creating "STDIN": virtualmachinebmcs.bmc.kubevirt.io "one" already exists',
      );
      expect(await run('replace -f -', { stdin: BMC.replace('ClusterIP', 'NodePort') })).toBe(`${ONE} replaced`);
      expect(await field('.spec.service.type')).toBe('NodePort');
      expect(await run('replace --force -f -', { stdin: BMC })).toMatch(
        /^virtualmachinebmc\.bmc\.kubevirt\.io "one" deleted.*\nvirtualmachinebmc\.bmc\.kubevirt\.io\/one replaced$/,
      );
      expect(await fail('replace -f -', { stdin: SETTINGS })).toBe(
        'Error from server (NotFound): error when replacing "STDIN": configmaps "settings" not found',
      );
    });

    it('make built-in kinds from their options, which they send as protobuf', async () => {
      expect(await run('create secret generic creds --from-literal=username=admin')).toBe('secret/creds created');
      expect(await field('.data.username', 'secret creds')).toBe('YWRtaW4=');
      expect(await run('create cm settings --from-literal=colour=green')).toBe('configmap/settings created');
      expect(await run('create service externalname outer --external-name=example.com')).toBe('service/outer created');
      expect(await run('create deployment web --image=web --replicas=2 --port=80')).toBe('deployment.apps/web created');
      expect(await run('create sa bob')).toBe('serviceaccount/bob created');
      expect(await run('create role reader --verb=get --resource=pods')).toBe(
        'role.rbac.authorization.k8s.io/reader created',
      );
      expect(await run('run idle --image=idle')).toBe('pod/idle created');
      expect(await run('expose deployment web --port=80')).toBe('service/web exposed');
      expect(cells(await run('get deployment,service -o wide'))).toHaveLength(6);
      expect(await run('create token bob')).toMatch(/^ey\S+\.\S+\.\S+$/);
      expect(await fail('create sa bob')).toBe(
        'error: failed to create serviceaccount: serviceaccounts "bob" already exists',
      );
    });
  });

  describe('scale', () => {
    it('sets the number of replicas, where it is what is expected', async () => {
      await apply(DEPLOYMENT);
      expect(await run('scale deployment web --replicas=3')).toBe('deployment.apps/web scaled');
      expect(await field('.spec.replicas', 'deployment web')).toBe('3');
      expect(await fail('scale deployment web --current-replicas=1 --replicas=2')).toBe(
        'error: Expected replicas to be 1, was 3',
      );
      expect(await run('set image deployment/web main=web:2')).toBe('deployment.apps/web image updated');
      expect(await fail('scale vmbmc nope --replicas=1')).toMatch(
        /not found|could not find the requested resource|no objects passed to scale/,
      );
    });
  });

  describe('wait', () => {
    it('waits for conditions, fields and ends', async () => {
      await apply(BMC);
      expect(await run('wait vmbmc/one --for=jsonpath={.spec.placement}=Dedicated')).toBe(`${ONE} condition met`);
      const ready = run('wait vmbmc/one --for=condition=Ready --timeout=30s');
      const condition = `{"type":"Ready","status":"True","reason":"Up","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}`;
      await run(`patch vmbmc one --subresource=status --type=merge -p '{"status":{"conditions":[${condition}]}}'`);
      expect(await ready).toBe(`${ONE} condition met`);
      const gone = run('wait vmbmc/one --for=delete --timeout=30s');
      await run('delete vmbmc one');
      expect(await gone).toMatch(/^(virtualmachinebmc\.bmc\.kubevirt\.io\/one condition met)?$/);
      expect(await fail('wait vmbmc/one --for=condition=Ready --timeout=1s')).toBe(
        'Error from server (NotFound): virtualmachinebmcs.bmc.kubevirt.io "one" not found',
      );
    });

    it('gives up', async () => {
      await apply(BMC);
      expect(await fail('wait vmbmc/one --for=condition=Ready --timeout=1s')).toBe(
        'error: timed out waiting for the condition on virtualmachinebmcs/one',
      );
    });
  });

  describe('delete', () => {
    const owner = async () => {
      await apply(SETTINGS);
      const uid = await field('.metadata.uid', 'cm settings');
      const reference = `{apiVersion: v1, kind: ConfigMap, name: settings, uid: ${uid}, blockOwnerDeletion: true}`;
      await apply(SETTINGS.replace('name: settings', `name: owned, ownerReferences: [${reference}]`));
    };
    const owned = () => run('get cm owned --ignore-not-found -o name');

    it('deletes by name, by label and all', async () => {
      await apply(`${BMC}---\n${SETTINGS}`);
      expect(await run('delete vmbmc one')).toBe('virtualmachinebmc.bmc.kubevirt.io "one" deleted');
      expect(await fail('delete vmbmc one')).toBe(
        'Error from server (NotFound): virtualmachinebmcs.bmc.kubevirt.io "one" not found',
      );
      expect(await run('delete vmbmc one --ignore-not-found')).toBe('');
      expect(await run('delete cm settings --dry-run=server')).toBe('configmap "settings" deleted (server dry run)');
      await run('label cm settings team=red');
      expect(await run('delete cm -l team=red')).toBe('configmap "settings" deleted');
      expect((await attempt('delete vmbmc --all')).stdout).toBe('No resources found\n');
    });

    it('takes what is owned along, afterwards', async () => {
      await owner();
      await run('delete cm settings --cascade=background');
      await eventually(async () => {
        expect(await owned()).toBe('');
      });
    });

    it('takes what is owned along, first', async () => {
      await owner();
      await run('delete cm settings --cascade=foreground --timeout=30s');
      expect(await owned()).toBe('');
    });

    it('leaves what was owned to itself', async () => {
      await owner();
      await run('delete cm settings --cascade=orphan');
      await eventually(async () => {
        expect(await field('.metadata.ownerReferences', 'cm owned')).toBe('');
      });
      expect(await owned()).toBe('configmap/owned');
    });

    it('waits for finalizers, unless it is told not to', async () => {
      await apply(SETTINGS.replace('name: settings', 'name: settings, finalizers: [example.com/hold]'));
      expect(await run('delete cm settings --wait=false')).toBe('configmap "settings" deleted');
      expect(await field('.metadata.deletionTimestamp', 'cm settings')).toMatch(/^\d{4}-/);
      const waiting = run('delete cm settings --timeout=30s --ignore-not-found');
      await run(`patch cm settings --type=merge -p '{"metadata":{"finalizers":null}}'`);
      // Where the second command comes first, there is nothing left to delete.
      expect(['', 'configmap "settings" deleted']).toContain(await waiting);
    });
  });
});
