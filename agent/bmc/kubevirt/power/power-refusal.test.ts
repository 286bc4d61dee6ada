import { describe, expect, it } from 'vitest';
import { ApiError, TransportError, type Status } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../../protocols/machine/index.ts';
import { refusalOf } from './power-refusal.ts';

function answer(status: number, message: string): ApiError {
  const body: Status = { kind: 'Status', apiVersion: 'v1', code: status, message };
  return new ApiError('PUT …/start', status, body);
}

const REFUSALS: [string, ApiError, string][] = [
  ['401', answer(401, 'Unauthorized'), 'PowerControlForbidden'],
  ['403', answer(403, 'virtualmachines.subresources.kubevirt.io "m" is forbidden'), 'PowerControlForbidden'],
  ['406 of go-restful', new ApiError('PUT …/start', 406, '406: Not Acceptable'), 'PowerControlRefused'],
  ['415', answer(415, 'unsupported media type'), 'PowerControlRefused'],
  ['429', answer(429, 'too many requests'), 'PowerControlUnavailable'],
  ['500 of a webhook', answer(500, 'Internal error occurred: failed calling webhook "x"'), 'PowerControlUnavailable'],
  [
    '503 of the aggregator',
    new ApiError('PUT …/start', 503, 'error trying to reach service'),
    'PowerControlUnavailable',
  ],
];

const NO_REFUSALS: [string, unknown][] = [
  ['a 409 of a VM in another state', answer(409, 'VM is already running')],
  ['a 404 of a VM or VMI that does not exist', answer(404, 'virtualmachineinstance.kubevirt.io "m" not found')],
  ['a 422 of a lost race', answer(422, 'the server rejected our request due to an error in our request')],
  ['a 500 of a queued request', answer(500, 'unable to complete request: stop/start already underway')],
  ['a 403 of a liveness probe', answer(403, 'Pausing VMIs with a non-GuestAgentPing LivenessProbe is not supported')],
  ['a webhook that denies this boot order', answer(403, 'admission webhook "v" denied the request: no')],
  ['no answer', new TransportError('ECONNREFUSED')],
  ['a decision of the BMC itself', new MachineError('InvalidState', 'the virtual machine is off')],
];

describe('the condition PowerControlAvailable', () => {
  it.each(REFUSALS)('turns False with %s', (_, error, reason) => {
    expect(refusalOf(error)?.reason).toBe(reason);
    expect(refusalOf(new MachineError('Unavailable', 'told to the client', { cause: error }))?.reason).toBe(reason);
  });

  it.each(NO_REFUSALS)('does not turn with %s', (_, error) => {
    expect(refusalOf(error)).toBeUndefined();
    expect(refusalOf(new MachineError('Busy', 'told to the client', { cause: error }))).toBeUndefined();
  });

  it("has the answer's words and a remedy", () => {
    expect(refusalOf(new ApiError('PUT …/start', 406, '406: Not Acceptable'))?.message).toBe(
      "KubeVirt refuses the BMC's power calls: PUT …/start: 406 406: Not Acceptable. " +
        'See the log of virt-api, and that Groundcrew supports this version of KubeVirt.',
    );
    expect(refusalOf(answer(403, 'is forbidden.'))?.message).toMatch(/is forbidden\. See Role and RoleBinding/);
    expect(refusalOf(answer(503, 'away'))?.message).toMatch(/away\. See that virt-api .* kubectl get apiservice/);
  });
});
