import { beforeAll, describe, expect, it } from 'vitest';
import { cells, cluster, kubectlScene } from '../../../../test/harness/index.ts';
import { needs } from '../../../../test/tools/index.ts';

const { namespace, kubectl, standIns } = await cluster();

let where = '';
const { run, fail, attempt } = kubectlScene(kubectl, () => where);

const manifest = (): string => `
apiVersion: bmc.kubevirt.io/v1beta1
kind: VirtualMachineBMC
metadata: {name: one, labels: {team: red}}
spec: {virtualMachineRef: {name: web}, service: {type: NodePort}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: web}}
data: {colour: green, size: "3"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other, labels: {app: db}}
---
apiVersion: v1
kind: Secret
metadata: {name: creds}
stringData: {username: admin}
---
apiVersion: v1
kind: Pod
metadata: {name: idle, labels: {app: web}}
spec:
  serviceAccountName: default
  automountServiceAccountToken: false
  containers: [{name: main, image: idle, ports: [{containerPort: 80}], env: [{name: A, value: b}]}]
---
apiVersion: v1
kind: Service
metadata: {name: inner}
spec: {clusterIP: None, selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: web}]}
---
apiVersion: v1
kind: Event
metadata: {name: idle.1}
involvedObject: {kind: Pod, namespace: ${where}, name: idle, apiVersion: v1}
type: Warning
reason: Failed
message: "Cannot run it"
source: {component: kubelet, host: node-1}
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:00Z"
count: 3
---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Halted
  template: {spec: {domain: {devices: {}}}}
`;

describe('kubectl', needs('kubectl'), () => {
  beforeAll(async () => {
    await standIns({ parts: ['kubevirt'] });
    where = await namespace();
    await run('create -f -', { stdin: manifest() });
  });

  describe('get', () => {
    it('shows our kinds in columns of ours', async () => {
      expect(cells(await run('get vmbmc'))).toEqual([
        'NAME | VIRTUALMACHINE | SECRET | CLUSTERIP | SERVICEREADY | PHASE | POWER | AGE',
        'one | web | AGE',
      ]);
      expect(cells(await run('get groundcrew --show-labels'))[1]).toBe(
        'virtualmachinebmc.bmc.kubevirt.io/one | web | AGE | team=red',
      );
      expect(await run('get virtualmachinebmcs.v1beta1.bmc.kubevirt.io one -o name')).toBe(
        'virtualmachinebmc.bmc.kubevirt.io/one',
      );
      for (const kind of ['ippool', 'iplease', 'vmnetcfg'])
        expect((await attempt(`get ${kind}`)).stderr).toBe(`No resources found in ${where} namespace.\n`);
    });

    it('shows VirtualMachines', async () => {
      expect(cells(await run('get vm'))).toEqual([
        'NAME | AGE | STATUS | READY',
        expect.stringMatching(/^web \| AGE \| Stopped \| False$/),
      ]);
    });

    it('shows several kinds at once, and all of them', async () => {
      expect(cells(await run('get configmap/settings secret/creds service/inner deployment/web'))).toEqual([
        'NAME | DATA | AGE',
        'configmap/settings | 2 | AGE',
        '',
        'NAME | TYPE | DATA | AGE',
        'secret/creds | Opaque | 1 | AGE',
        '',
        'NAME | TYPE | CLUSTER-IP | EXTERNAL-IP | PORT(S) | AGE',
        'service/inner | ClusterIP | None | <none> | 80/TCP | AGE',
        '',
        'NAME | READY | UP-TO-DATE | AVAILABLE | AGE',
        'deployment.apps/web | 0/2 | 0 | 0 | AGE',
      ]);
      expect(cells(await run('get all'))).toEqual([
        'NAME | READY | STATUS | RESTARTS | AGE',
        'pod/idle | 0/1 | Pending | 0 | AGE',
        '',
        'NAME | TYPE | CLUSTER-IP | EXTERNAL-IP | PORT(S) | AGE',
        'service/inner | ClusterIP | None | <none> | 80/TCP | AGE',
        '',
        'NAME | READY | UP-TO-DATE | AVAILABLE | AGE',
        'deployment.apps/web | 0/2 | 0 | 0 | AGE',
        '',
        'NAME | AGE | STATUS | READY',
        'virtualmachine.kubevirt.io/web | AGE | Stopped | False',
      ]);
    });

    it('shows more where it is asked to', async () => {
      expect(cells(await run('get pods -o wide'))).toEqual([
        'NAME | READY | STATUS | RESTARTS | AGE | IP | NODE | NOMINATED NODE | READINESS GATES',
        'idle | 0/1 | Pending | 0 | AGE | <none> | <none> | <none> | <none>',
      ]);
      expect(cells(await run('get deploy -o wide'))[1]).toBe('web | 0/2 | 0 | 0 | AGE | main | web | app=web');
      expect(cells(await run('get svc -o wide'))[1]).toBe('inner | ClusterIP | None | <none> | 80/TCP | AGE | app=web');
    });

    it('selects by labels and fields, and shows labels', async () => {
      expect(await run("get cm -l 'app in (web,db)' -o name")).toBe('configmap/other\nconfigmap/settings');
      expect(await run('get cm -l app!=db,app -o name')).toBe('configmap/settings');
      expect(await run('get pods --field-selector status.phase=Pending,metadata.name=idle -o name')).toBe('pod/idle');
      expect(cells(await run('get cm settings other -L app'))).toEqual([
        'NAME | DATA | AGE | APP',
        'settings | 2 | AGE | web',
        'other | 0 | AGE | db',
      ]);
      expect(await fail('get cm -l app=-bad-')).toMatch(
        /^Error from server \(BadRequest\): Unable to find "\/v1, Resource=configmaps" that match label selector "app=-bad-", field selector "": unable to parse requirement: values\[0\]\[app\]: Invalid value: "-bad-": /,
      );
      expect(await fail('get pods --field-selector spec.nope=x')).toBe(
        'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", field selector "spec.nope=x": field label not supported: spec.nope',
      );
    });

    it('writes in the formats that there are', async () => {
      expect(JSON.parse(await run('get vmbmc one -o json'))).toMatchObject({
        kind: 'VirtualMachineBMC',
        metadata: { name: 'one', namespace: where, generation: 1 },
      });
      expect(await run('get vmbmc one -o yaml')).toMatch(
        /^apiVersion: bmc\.kubevirt\.io\/v1beta1\nkind: VirtualMachineBMC\nmetadata:\n {2}creationTimestamp: "[^"]+"\n {2}generation: 1\n {2}labels:\n {4}team: red\n {2}name: one\n/,
      );
      expect(await run('get vmbmc one -o yaml --show-managed-fields')).toContain('    manager: kubectl-create\n');
      expect(await run('get cm settings -o jsonpath={.data.colour}-{.data.size}')).toBe('green-3');
      expect(
        cells(await run('get cm settings other -o custom-columns=NAME:.metadata.name,APP:.metadata.labels.app')),
      ).toEqual(['NAME | APP', 'settings | web', 'other | db']);
      expect(await run("get cm settings -o go-template='{{.data.colour}}'")).toBe('green');
      expect(JSON.parse(await run('get vmbmc -o json'))).toMatchObject({
        kind: 'List',
        items: [{ kind: 'VirtualMachineBMC' }],
      });
    });

    it('sorts, and reads page by page', async () => {
      const sorted = await run('get cm settings other --sort-by=.data.colour -o name');
      expect(sorted).toBe('configmap/other\nconfigmap/settings');
      expect((await run('get cm --chunk-size=1 -o name')).split('\n')).toEqual(
        expect.arrayContaining(['configmap/other', 'configmap/settings']),
      );
    });

    it('shows subresources', async () => {
      expect(cells(await run('get deployment web --subresource=scale'))).toEqual([
        'NAME | DESIRED | AVAILABLE | AGE',
        'web | 2 | 0 | AGE',
      ]);
      expect(cells(await run('get deployment web --subresource=status'))[1]).toBe('web | 0/2 | 0 | 0 | AGE');
    });

    it('watches', async () => {
      const seen: { text?: string } = {};
      const watching = attempt('get cm settings -w -L at', { until: (stdout) => stdout.split('\n').length > 3 }).then(
        ({ stdout }) => (seen.text = stdout),
      );
      // kubectl passes over what happens between its get and its watch.
      for (let round = 0; round < 50 && seen.text === undefined; round += 1) {
        await run(`label cm settings at=last-${round} --overwrite`);
      }
      const lines = cells((await watching).trimEnd());
      expect(lines[0]).toBe('NAME | DATA | AGE | AT');
      expect(lines.at(-1)).toMatch(/^settings \| 2 \| \d+s \| last-\d+$/);
    }, 90_000);

    it('watches events alone where it is told to', async () => {
      const seen: { text?: string } = {};
      const watching = attempt('get secrets --watch-only --output-watch-events', {
        until: (stdout) => stdout.includes('DELETED'),
      }).then(({ stdout }) => (seen.text = stdout));
      // It does not say when it has begun: what was before that is not seen, what comes later is.
      for (let round = 0; round < 50 && seen.text === undefined; round += 1) {
        await run(`create secret generic flicker-${round}`);
        await run(`delete secret flicker-${round}`);
      }
      expect(await watching).toMatch(/DELETED +flicker-\d+ +Opaque +0 +\d+s/);
    }, 90_000);

    it('is told what is not there', async () => {
      expect(await fail('get vmbmc nope')).toBe(
        'Error from server (NotFound): virtualmachinebmcs.bmc.kubevirt.io "nope" not found',
      );
      expect(await run('get vmbmc nope --ignore-not-found')).toBe('');
      expect(await fail('get nonsense')).toBe(`error: the server doesn't have a resource type "nonsense"`);
    });

    it('reads plain paths', async () => {
      expect(await run('get --raw /readyz')).toBe('ok');
      expect(JSON.parse(await run('get --raw /apis/bmc.kubevirt.io'))).toMatchObject({ kind: 'APIGroup' });
    });
  });

  describe('describe', () => {
    it('tells all about an object of ours', async () => {
      const text = await run('describe vmbmc one');
      expect(
        text
          .replace(/Time: .*/, 'Time: THEN')
          .replace(/Version: +\d+/, 'Version: V')
          .replace(/UID: .*/, 'UID: U'),
      ).toBe(
        `Name:         one
Namespace:    ${where}
Labels:       team=red
Annotations:  <none>
API Version:  bmc.kubevirt.io/v1beta1
Kind:         VirtualMachineBMC
Metadata:
  Creation Timestamp:  ${/Timestamp: {2}(.*)/.exec(text)?.[1] ?? ''}
  Generation:          1
  Resource Version: V
  UID: U
Spec:
  Placement:  Dedicated
  Service:
    Type:  NodePort
  Virtual Machine Ref:
    Name:  web
Events:    <none>`,
      );
    });

    it('tells of a pod what became of it', async () => {
      const text = await run('describe pod idle');
      expect(text).toMatch(/^Name: +idle\n/);
      expect(text).toMatch(/\nStatus: +Pending\n/);
      expect(text).toMatch(/\nContainers:\n {2}main:\n {4}Image: +idle\n {4}Port: +80\/TCP\n/);
      expect(text).toMatch(/\n {4}Environment:\n {6}A: +b\n/);
      expect(text).toMatch(/\nEvents: +<none>$/);
    });

    it.each([
      ['secret creds', /\nType: {2}Opaque\n\nData\n====\nusername: {2}5 bytes$/],
      // In any order: kubectl 1.32 does not sort them.
      ['cm settings', /\nData\n====\n(?=[^]*^colour:\n----\ngreen\n)(?=[^]*^size:\n----\n3\n)/m],
      ['svc inner', /\nSelector: +app=web\nType: +ClusterIP\n(.*\n)*Port: +<unset> {2}80\/TCP\nTargetPort: +80\/TCP\n/],
      ['deploy web', /\nReplicas: +2 desired \| 0 updated \| 0 total \| 0 available \| 0 unavailable\n/],
      ['vm web', /\nKind: +VirtualMachine\n(.*\n)*Spec:\n {2}Run Strategy: {2}Halted\n/],
    ])('tells of %s', async (args, expected) => {
      expect(await run(`describe ${args}`)).toMatch(expected);
    });
  });

  describe('events', () => {
    it('are told on their own, and for one object', async () => {
      const line = /^AGE \(x3 over \d+d\) \| Warning \| Failed \| Pod\/idle \| Cannot run it$/;
      expect(cells(await run('events --types=Warning'))).toEqual([
        'LAST SEEN | TYPE | REASON | OBJECT | MESSAGE',
        expect.stringMatching(line),
      ]);
      expect(cells(await run('events --for pod/idle'))[1]).toMatch(line);
      expect(cells(await run('get events --field-selector involvedObject.name=idle'))).toEqual([
        'LAST SEEN | TYPE | REASON | OBJECT | MESSAGE',
        'AGE | Warning | Failed | pod/idle | Cannot run it',
      ]);
    });
  });

  describe('explain', () => {
    it('tells what a field of ours is for', async () => {
      expect(await run('explain vmbmc.spec.virtualMachineRef')).toBe(`GROUP:      bmc.kubevirt.io
KIND:       VirtualMachineBMC
VERSION:    v1beta1

FIELD: virtualMachineRef <Object>

DESCRIPTION:
    The VirtualMachine of the same namespace that the BMC is of. One BMC serves
    a VM: the oldest.

FIELDS:
  name	<string> -required-
    Name of the VirtualMachine.`);
    });

    it.each([
      [
        'vmbmc',
        /^GROUP: +bmc\.kubevirt\.io\nKIND: +VirtualMachineBMC\n(.*\n)*FIELDS:\n {2}apiVersion\t<string>\n(.*\n)* {2}spec\t<Object> -required-\n/,
      ],
      ['ippool.spec.ipv4Config', /\nFIELD: ipv4Config <Object>( -required-)?\n(.*\n)* {2}cidr\t<string> -required-\n/],
      [
        'pod.spec.containers.image',
        /^KIND: +Pod\nVERSION: +v1\n\nFIELD: image <string>\n\nDESCRIPTION:\n {4}Container image name\./,
      ],
      ['deployment.spec.replicas', /^GROUP: +apps\nKIND: +Deployment\nVERSION: +v1\n\nFIELD: replicas <integer>\n/],
      ['service.spec.ports', /\nFIELD: ports <\[\]ServicePort>\n/],
      ['secret.stringData', /\nFIELD: stringData <map\[string\]string>\n/],
      ['event.involvedObject', /\nFIELD: involvedObject <ObjectReference>\n/],
      [
        'cm',
        /^KIND: +ConfigMap\nVERSION: +v1\n\nDESCRIPTION:\n {4}ConfigMap holds configuration data for pods to consume\.\n/,
      ],
      ['crd.spec.names', /\nFIELD: names <CustomResourceDefinitionNames>\n/],
    ])('tells of %s', async (path, expected) => {
      expect(await run(`explain ${path}`)).toMatch(expected);
    });

    it('tells all fields below', async () => {
      const text = await run('explain vmbmc.spec.service --recursive');
      expect(text).toMatch(/\nFIELDS:\n {2}annotations\t<map\[string\]string>\n/);
      expect(text).toMatch(/\n {2}nodePorts\t<Object>\n {4}ipmi\t<integer>\n/);
      expect(await run('explain deployment.spec --recursive')).toMatch(
        /\n {6}containers\t<\[\]Container> -required-\n/,
      );
    });

    it('knows what is not there', async () => {
      expect((await attempt('explain vmbmc.spec.nope')).stderr).toBe('error: field "nope" does not exist\n');
      expect(await fail('explain nonsense')).toBe(`the server doesn't have a resource type "nonsense"`);
    });
  });

  describe('api-resources', () => {
    it('lists what there is', async () => {
      expect(cells(await run('api-resources --api-group=bmc.kubevirt.io -o wide'))).toEqual([
        'NAME | SHORTNAMES | APIVERSION | NAMESPACED | KIND | VERBS | CATEGORIES',
        'virtualmachinebmcs | vmbmc,vmbmcs | bmc.kubevirt.io/v1beta1 | true | VirtualMachineBMC | delete,deletecollection,get,list,patch,create,update,watch | groundcrew',
      ]);
      expect((await run('api-resources --categories=groundcrew -o name')).split('\n').sort()).toEqual([
        'ipleases.network.harvesterhci.io',
        'ippools.network.harvesterhci.io',
        'virtualmachinebmcs.bmc.kubevirt.io',
        'virtualmachinenetworkconfigs.network.harvesterhci.io',
      ]);
      expect(cells(await run('api-resources --api-group=apps'))).toEqual(
        expect.arrayContaining([
          'deployments | deploy | apps/v1 | true | Deployment',
          'replicasets | rs | apps/v1 | true | ReplicaSet',
        ]),
      );
      expect((await run('api-versions')).split('\n')).toEqual(
        expect.arrayContaining(['apps/v1', 'bmc.kubevirt.io/v1beta1', 'v1']),
      );
    });
  });

  it('says whom and what it talks to', async () => {
    expect(await run('auth can-i create virtualmachinebmcs')).toBe('yes');
    expect(await run('auth whoami')).toMatch(/\nGroups +\[system:masters system:authenticated\]/);
    expect(await run('version')).toMatch(/\nServer Version: v1\.34\./);
    expect(await run('cluster-info')).toMatch(/Kubernetes control plane.* is running at .*https:\/\/127\.0\.0\.1:\d+/);
  });
});
