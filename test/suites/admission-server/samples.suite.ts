import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { IP_POOLS, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINE_NETWORK_CONFIGS } from '../../../api/index.ts';
import { apiVersionOf, collectionPath, type KubeObject } from '@groundcrew/controller-runtime';
import { cluster, repository } from '../../harness/index.ts';
import { RunningAdmission } from './running-admission.ts';
import { Scene } from './scene.ts';

const c = await cluster();
const FOLDER = join(repository, 'api/schemas/fixtures');

type Sample = KubeObject & { spec: object };

describe('manifests for another DHCP controller', () => {
  let admission: RunningAdmission;

  beforeAll(async () => {
    const probe = await Scene.in(c);
    admission = await RunningAdmission.start(c, {}, async () => {
      expect(await probe.pool('probe', { cidr: '10.9.0.0/31' }, '?dryRun=All')).toMatchObject({ status: 422 });
      expect(await probe.pool('probe', { serverIP: undefined }, '?dryRun=All')).toMatchObject({ status: 201 });
    });
  });
  afterAll(() => admission.close());

  it.each(['vm-dhcp-controller', 'kubevirtbmc'])(
    'for %s apply unchanged, and a second apply changes nothing',
    async (peer) => {
      const { namespace } = await Scene.in(c);
      const samples = parseAllDocuments(readFileSync(join(FOLDER, `${peer}.yaml`), 'utf8'));
      for (const sample of samples) {
        // The fixtures contain only Groundcrew kinds; a suite of the schemas checks that.
        const object = sample.toJS() as Sample;
        object.metadata.namespace = namespace;
        const made = await apply(object);
        expect(made.status, JSON.stringify(made.body)).toBe(201);
        // The stored object may also contain defaults.
        expect(made.object.spec).toMatchObject(inOneSpelling(object.spec));
        const again = await apply(object);
        expect(again.status, JSON.stringify(again.body)).toBe(200);
        expect(again.object.metadata.generation).toBe(made.object.metadata.generation);
      }
    },
  );
});

async function apply(sample: Sample) {
  const { apiVersion, kind, metadata } = sample;
  const known = [IP_POOLS, VIRTUAL_MACHINE_NETWORK_CONFIGS, VIRTUAL_MACHINE_BMCS].find((each) => each.kind === kind);
  if (known === undefined || apiVersionOf(known) !== apiVersion)
    throw new Error(`${apiVersion} ${kind} is not a kind of Groundcrew`);
  const path = `${collectionPath(known, metadata.namespace)}/${metadata.name}?fieldManager=user`;
  const answer = await c.http('PATCH', path, { body: sample, contentType: 'application/apply-patch+yaml' });
  return { ...answer, object: answer.body as Sample };
}

function inOneSpelling(spec: object): object {
  // The input is an object.
  return JSON.parse(JSON.stringify(spec).replace('FA-CF-8E-50-82-FD', 'fa:cf:8e:50:82:fd')) as object;
}
