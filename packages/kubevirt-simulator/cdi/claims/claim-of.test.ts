import { describe, expect, it } from 'vitest';
import type { StorageProfile } from '../objects.ts';
import { aDataVolume } from '../testing/builders.ts';
import { claimOf, type StorageView } from './claim-of.ts';

function profile(name: string, claimPropertySets?: { accessModes: string[]; volumeMode: string }[]): StorageProfile {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'StorageProfile',
    metadata: { name },
    status: { storageClass: name, ...(claimPropertySets === undefined ? {} : { claimPropertySets }) },
  };
}

const storage: StorageView = {
  defaultClass: 'sandbox',
  profiles: new Map([
    [
      'sandbox',
      profile('sandbox', [
        { accessModes: ['ReadWriteMany'], volumeMode: 'Filesystem' },
        { accessModes: ['ReadWriteOnce'], volumeMode: 'Block' },
      ]),
    ],
    ['bare', profile('bare')],
  ]),
  config: undefined,
};

function specOf(plan: ReturnType<typeof claimOf>) {
  if ('problem' in plan) throw new Error(plan.problem);
  return plan.claim.spec;
}

describe('the claim of a DataVolume', () => {
  it('is owned by it, and knows what is to be imported', () => {
    const dv = aDataVolume({
      source: { http: { url: 'http://files.example/a.iso', secretRef: 's', certConfigMap: 'c' } },
    });
    dv.metadata.annotations = { note: 'mine', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
    const plan = claimOf(dv, storage);
    expect(plan).toMatchObject({
      claim: {
        metadata: {
          name: 'iso',
          namespace: 'vms',
          ownerReferences: [{ kind: 'DataVolume', name: 'iso', uid: 'dv-uid', controller: true }],
          annotations: {
            note: 'mine',
            'cdi.kubevirt.io/storage.import.source': 'http',
            'cdi.kubevirt.io/storage.import.endpoint': 'http://files.example/a.iso',
            'cdi.kubevirt.io/storage.import.secretName': 's',
            'cdi.kubevirt.io/storage.import.certConfigMap': 'c',
            'cdi.kubevirt.io/storage.contentType': 'kubevirt',
            'cdi.kubevirt.io/storage.pod.restarts': '0',
          },
        },
      },
    });
    expect(JSON.stringify(plan)).not.toContain('last-applied');
  });

  it('has what the storage profile says, and room for the filesystem', () => {
    expect(specOf(claimOf(aDataVolume(), storage))).toEqual({
      accessModes: ['ReadWriteMany'],
      volumeMode: 'Filesystem',
      storageClassName: 'sandbox',
      resources: { requests: { storage: String(Math.ceil(2 ** 30 / 0.945)) } },
    });
  });

  it('is no larger than asked for where it is a block device', () => {
    const block = { volumeMode: 'Block', resources: { requests: { storage: '1Gi' } } };
    expect(specOf(claimOf(aDataVolume({ storage: block }), storage))).toMatchObject({
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: String(2 ** 30) } },
    });
  });

  it('is to the letter what spec.pvc says', () => {
    const pvc = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    expect(specOf(claimOf(aDataVolume({ pvc }), storage))).toEqual(pvc);
  });

  it('cannot be, where nobody knows an access mode', () => {
    const bare = { storageClassName: 'bare', resources: { requests: { storage: '1Gi' } } };
    expect(claimOf(aDataVolume({ storage: bare }), storage)).toEqual({
      problem: 'no accessMode specified in StorageProfile bare',
    });
    expect(claimOf(aDataVolume(), { ...storage, defaultClass: undefined })).toEqual({
      problem: 'DataVolume.storage spec is missing accessMode and no storageClass to choose profile',
    });
  });
});
