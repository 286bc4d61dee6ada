import { describe, expect, it } from 'vitest';
import type { DataVolume, DataVolumeStatus } from '../../../../api/index.ts';
import { importFailureOf } from './media-volume.ts';

function volume(status?: DataVolumeStatus): DataVolume {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name: 'a-bmc-cd' },
    spec: {},
    ...(status === undefined ? {} : { status }),
  };
}

const error = (message: string, restartCount = 1): DataVolumeStatus => ({
  phase: 'ImportInProgress',
  restartCount,
  conditions: [{ type: 'Running', status: 'False', reason: 'Error', message }],
});

describe('an import has failed', () => {
  it.each([
    ['in phase Failed', { phase: 'Failed' }, 'no reason given'],
    ['if the image does not exist', error('expected status code 200, got 404'), 'got 404'],
    ['after three attempts', error('connection refused', 3), 'connection refused'],
    ['if the volume is too small', error('virtual image size 9 is larger. A larger PVC is required'), 'larger PVC'],
    [
      'if its address is forbidden, with a remedy',
      error('http://10.0.0.1/a.iso is at 10.0.0.1, an internal address; spec.allowedSourceURLs does not name it'),
      'add the URL to spec.allowedSourceURLs',
    ],
    [
      'if no volume can be created',
      { conditions: [{ type: 'Bound', status: 'False', reason: 'ErrClaimNotValid', message: 'no access mode' }] },
      'no access mode',
    ],
  ] as [string, DataVolumeStatus, string][])('%s', (_when, status, why) => {
    expect(importFailureOf(volume(status))).toContain(why);
  });

  it.each<[string, DataVolumeStatus | undefined]>([
    ['before it begins', undefined],
    ['while it runs', { phase: 'ImportInProgress', conditions: [{ type: 'Running', status: 'True' }] }],
    ['after a first error', error('connection reset by peer')],
    ['after success', { phase: 'Succeeded', restartCount: 5 }],
  ])('not %s', (_when, status) => {
    expect(importFailureOf(volume(status))).toBeUndefined();
  });
});
