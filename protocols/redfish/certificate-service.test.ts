import { beforeEach, describe, expect, it } from 'vitest';
import { MachineError } from '../machine/index.ts';
import { certificateServiceRoutes } from './certificate-service.ts';
import { HTTPS_CERTIFICATES } from './certificates.ts';
import type { JsonObject } from './json.ts';
import type { ActionOutcome } from './resource.ts';
import { CALLER, FakeBmc, payloadAt } from './testing/index.ts';

const SERVICE = '/redfish/v1/CertificateService';
const COLLECTION = { '@odata.id': HTTPS_CERTIFICATES };
const SERVED = { '@odata.id': `${HTTPS_CERTIFICATES}/1` };

let bmc: FakeBmc;

beforeEach(() => {
  bmc = new FakeBmc();
  bmc.certificates = ['before', 'its issuer'];
});

async function run(name: string, parameters: JsonObject): Promise<ActionOutcome> {
  const service = certificateServiceRoutes(bmc.context).find(({ path }) => path === SERVICE);
  const action = service?.find({})?.actions?.find((each) => each.name === `CertificateService.${name}`);
  return await action?.run(parameters, CALLER);
}

const generate = (parameters: JsonObject) =>
  run('GenerateCSR', { CommonName: 'bmc.example', CertificateCollection: COLLECTION, ...parameters });
const replace = (parameters: JsonObject) =>
  run('ReplaceCertificate', {
    CertificateString: 'after',
    CertificateType: 'PEM',
    CertificateUri: SERVED,
    ...parameters,
  });

describe('CertificateService', () => {
  it('links to all certificates', async () => {
    expect(await payloadAt(certificateServiceRoutes(bmc.context), `${SERVICE}/CertificateLocations`)).toMatchObject({
      Links: { Certificates: [SERVED, { '@odata.id': `${HTTPS_CERTIFICATES}/2` }] },
    });
  });

  it('makes a certificate request', async () => {
    const parameters = {
      Organization: 'Example, Inc.',
      Country: 'DE',
      AlternativeNames: ['192.0.2.9', '*.bmc.example'],
    };
    expect(await generate(parameters)).toEqual({ body: { CertificateCollection: COLLECTION, CSRString: 'a CSR' } });
    expect(bmc.requested).toEqual([
      {
        subject: [
          ['C', 'DE'],
          ['O', 'Example, Inc.'],
          ['CN', 'bmc.example'],
        ],
        names: ['192.0.2.9', '*.bmc.example'],
        key: 'P-256',
      },
    ]);
    expect(bmc.audited).toEqual(['a private key and a certificate request for bmc.example were made']);
  });

  it('requests the common name as alternative name if it is one', async () => {
    await generate({});
    await generate({ CommonName: 'My BMC' });
    expect(bmc.requested.map(({ names }) => names)).toEqual([['bmc.example'], []]);
  });

  it.each([
    [{ KeyPairAlgorithm: 'TPM_ALG_RSA' }, 3072],
    [{ KeyBitLength: 4096 }, 4096],
    [{ KeyPairAlgorithm: 'TPM_ALG_ECDSA' }, 'P-256'],
    [{ KeyCurveId: 'TPM_ECC_NIST_P384' }, 'P-384'],
  ])('makes the key that is asked for: %j', async (parameters, key) => {
    await generate(parameters);
    expect(bmc.requested).toMatchObject([{ key }]);
  });

  it('refuses a certificate request for another collection', async () => {
    const CertificateCollection = { '@odata.id': '/redfish/v1/Systems/1/Certificates' };
    await expect(generate({ CertificateCollection })).rejects.toMatchObject({ status: 400 });
    expect(bmc.requested).toEqual([]);
  });

  it('replaces the certificate', async () => {
    expect(await replace({})).toEqual({ changed: SERVED['@odata.id'] });
    expect(bmc.certificates).toEqual(['after']);
    expect(bmc.audited).toEqual(['the HTTPS certificate was replaced']);
  });

  it.each([`${HTTPS_CERTIFICATES}/2`, '/redfish/v1/Systems/1'])('does not replace %s', async (uri) => {
    await expect(replace({ CertificateUri: { '@odata.id': uri } })).rejects.toMatchObject({ status: 400 });
    expect(bmc.certificates).toEqual(['before', 'its issuer']);
  });

  it.each([
    ['NotSupported', 400],
    ['InvalidState', 409],
    ['Unavailable', 503],
  ] as const)('says why a certificate is refused: %s', async (code, status) => {
    bmc.refusal = new MachineError(code, 'the key is another one');
    const messages = [{ Resolution: 'the key is another one' }];
    await expect(replace({})).rejects.toMatchObject({ status, messages });
    expect(bmc.audited).toEqual([]);
  });
});
