import { describe, expect, it } from 'vitest';
import { ApiError, type Status, TransportError } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../../protocols/machine/index.ts';
import { classifyRefusal, DECIDE_AGAIN, refusalOf } from './power-refusal.ts';

function answer(status: number, message: string): ApiError {
  const body: Status = { kind: 'Status', apiVersion: 'v1', code: status, message };
  return new ApiError('PUT …/start', status, body);
}

const [FORBIDDEN, REFUSED, UNAVAILABLE] = [
  'PowerControlForbidden',
  'PowerControlRefused',
  'PowerControlUnavailable',
] as const;

/** The error, the code for the client, and the reason of the condition; undefined: the condition stays. */
const ERRORS: [string, Error, string, string?][] = [
  // Recorded from virt-api 1.8.4 behind kube-apiserver 1.34.
  ['409 of a running VM', answer(409, 'Operation cannot be fulfilled on … "m": VM is already running'), DECIDE_AGAIN],
  ['409 of a stopped VM', answer(409, 'Operation cannot be fulfilled on … "m": VM is not running'), DECIDE_AGAIN],
  [
    '500 of a queued request',
    answer(500, 'Internal error occurred: unable to complete request: stop/start already underway'),
    DECIDE_AGAIN,
  ],
  [
    '500 of a failed JSON patch',
    answer(500, 'Internal error occurred: the server rejected our request due to an error in our request'),
    DECIDE_AGAIN,
  ],
  ['400 of a VMI that is starting', answer(400, 'Failed to reset non-running VMI with phase Scheduling'), DECIDE_AGAIN],
  ['404 of a VMI', answer(404, 'virtualmachineinstance.kubevirt.io "m" not found'), DECIDE_AGAIN],
  ['422 of a lost race', answer(422, 'the server rejected our request due to an error in our request'), DECIDE_AGAIN],
  ['401', answer(401, 'Unauthorized'), 'Forbidden', FORBIDDEN],
  ['403 of RBAC', answer(403, 'virtualmachines.subresources.kubevirt.io "m" is forbidden'), 'Forbidden', FORBIDDEN],
  [
    '403 of a liveness probe',
    answer(403, 'forbidden: Pausing VMIs with LivenessProbe is currently not supported'),
    'NotSupported',
  ],
  ['403 of a webhook', answer(403, 'admission webhook "v" denied the request: no'), 'Forbidden'],
  ['406 of go-restful', new ApiError('PUT …/start', 406, '406: Not Acceptable'), 'Unavailable', REFUSED],
  ['415', answer(415, 'unsupported media type'), 'Unavailable', REFUSED],
  ['429', answer(429, 'too many requests'), 'Unavailable', UNAVAILABLE],
  [
    '500 of a webhook',
    answer(500, 'Internal error occurred: failed calling webhook "x": connection refused'),
    'Unavailable',
    UNAVAILABLE,
  ],
  [
    '503 of the aggregator',
    new ApiError('PUT …/start', 503, 'error trying to reach service'),
    'Unavailable',
    UNAVAILABLE,
  ],
  ['no answer', new TransportError('ECONNREFUSED'), 'Unavailable'],
];

describe.each(ERRORS)('a power call that fails with %s', (_, error, code, reason) => {
  it('leads to a new decision or an error for the client', () => {
    const told = classifyRefusal(error);
    expect(told === DECIDE_AGAIN ? told : told.code).toBe(code);
  });

  it('sets the condition PowerControlAvailable only if other calls would fail too', () => {
    expect(refusalOf(error)?.reason).toBe(reason);
    expect(refusalOf(new MachineError('Busy', 'for the client', { cause: error }))?.reason).toBe(reason);
  });
});

it('passes other errors on', () => {
  expect(() => classifyRefusal(new TypeError('ours'))).toThrow('ours');
  expect(refusalOf(new MachineError('InvalidState', 'the virtual machine is off'))).toBeUndefined();
});

it("has the server's message and a remedy in the condition", () => {
  expect(refusalOf(new ApiError('PUT …/start', 406, '406: Not Acceptable'))?.message).toBe(
    "KubeVirt refuses the BMC's power calls: PUT …/start: 406 406: Not Acceptable. " +
      'See the log of virt-api, and that Groundcrew supports this version of KubeVirt.',
  );
  expect(refusalOf(answer(403, 'is forbidden.'))?.message).toMatch(/is forbidden\. See Role and RoleBinding/);
  expect(refusalOf(answer(503, 'away'))?.message).toMatch(/away\. See that virt-api .* kubectl get apiservice/);
});
