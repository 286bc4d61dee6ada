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

describe('an import has come to nothing', () => {
  it.each([
    ['when it says so', { phase: 'Failed' }, 'no reason given'],
    ['when the image is not there', error('expected status code 200, got 404'), 'got 404'],
    ['when it is tried in vain', error('connection refused', 3), 'connection refused'],
    ['when it does not fit', error('virtual image size 9 is larger. A larger PVC is required'), 'larger PVC'],
    [
      'when its address may not be asked, with what to do about it',
      error('http://10.0.0.1/a.iso is at 10.0.0.1, an internal address; spec.allowedSourceURLs does not name it'),
      'add the URL to spec.allowedSourceURLs',
    ],
    [
      'when there can be no volume',
      { conditions: [{ type: 'Bound', status: 'False', reason: 'ErrClaimNotValid', message: 'no access mode' }] },
      'no access mode',
    ],
  ] as [string, DataVolumeStatus, string][])('%s', (_when, status, why) => {
    expect(importFailureOf(volume(status))).toContain(why);
  });

  it.each<[string, DataVolumeStatus | undefined]>([
    ['before it has begun', undefined],
    ['while it goes on', { phase: 'ImportInProgress', conditions: [{ type: 'Running', status: 'True' }] }],
    ['after a first hitch', error('connection reset by peer')],
    ['when it is done', { phase: 'Succeeded', restartCount: 5 }],
  ])('not %s', (_when, status) => {
    expect(importFailureOf(volume(status))).toBeUndefined();
  });
});
