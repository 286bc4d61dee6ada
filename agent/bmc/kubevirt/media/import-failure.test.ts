import { describe, expect, it } from 'vitest';
import type { DataVolume, DataVolumeStatus } from '../../../../api/index.ts';
import { importFailureOf, withoutAdvice } from './import-failure.ts';

function volume(status?: DataVolumeStatus): DataVolume {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name: 'a-bmc-cd' },
    spec: {},
    ...(status === undefined ? {} : { status }),
  };
}

const error = (message: string, restartCount = 0): DataVolumeStatus => ({
  phase: 'ImportInProgress',
  restartCount,
  conditions: [{ type: 'Running', status: 'False', reason: 'Error', message }],
});

describe('an import has failed', () => {
  it.each([
    ['in phase Failed', { phase: 'Failed' }, 'no reason given'],
    ['if the image does not exist', error('expected status code 200, got 404'), 'got 404'],
    ['after the second attempt, which follows at once', error('connection refused', 1), 'connection refused'],
    ['after the fourth attempt if the importer gives no reason', error('', 3), 'no reason given'],
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
    ['when the importer restarts for temporary data', error('scratch space required and none found', 1)],
    [
      'while the claim of the previous image is being deleted',
      { conditions: [{ type: 'Bound', status: 'False', reason: 'ErrResourceExists', message: 'already exists' }] },
    ],
    ['after success', { phase: 'Succeeded', restartCount: 5 }],
  ])('not %s', (_when, status) => {
    expect(importFailureOf(volume(status))).toBeUndefined();
  });
});

describe('the message of a failed import', () => {
  it.each([
    [
      'Unable to connect to http data source: expected status code 200, got 404. Status: 404 Not Found',
      'Check the URL',
    ],
    ['expected status code 200, got 401. Status: 401 Unauthorized', 'UserName and Password'],
    ['tls: failed to verify certificate: x509: certificate signed by unknown authority', 'caBundleConfigMapRef'],
    ['dial tcp 192.0.2.1:443: connect: connection refused', 'image server is up'],
    ['dial tcp 192.0.2.1:443: i/o timeout', 'image server is up'],
    ['expected status code 200, got 503. Status: 503 Service Unavailable', 'image server is up'],
    ['Virtual image size 9 is larger than the reported available storage 8. A larger PVC is required.', 'uncompressed'],
    ['qemu-img: error', 'Insert the image again'],
  ])('says what to do, which clients get as a separate text: %s', (text, advice) => {
    const failure = importFailureOf(volume(error(text, 1))) ?? '';
    const { message, resolution } = withoutAdvice(failure);
    expect(message).toBe(`CDI could not import the image: ${text.replace(/\.$/, '')}`);
    expect(resolution).toContain(advice);
    expect(failure).toBe(`${message}. ${resolution.slice(0, -1)}`);
  });

  it('has a general resolution if another version wrote it', () => {
    const told = 'the DataVolume with the image was deleted';
    expect(withoutAdvice(told)).toEqual({ message: told, resolution: 'Insert the image again.' });
  });
});
