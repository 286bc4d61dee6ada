import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { VirtualMachineBMC } from '../../../api/index.ts';
import type { Clock } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import type { CertificateOwner, CertificateRequest } from '../../../protocols/redfish/index.ts';
import type { HttpsState } from '../state/bmc-state.ts';
import type { StoredObject } from '../state/state-entry.ts';
import { certificatesIn } from './redfish-service.ts';

export interface ClientCertificateOptions {
  bmc: () => VirtualMachineBMC;
  state: Pick<StoredObject<HttpsState>, 'change' | 'current'>;
  clock: Clock;
  /** Has Redfish use the current certificate. */
  show: () => Promise<void>;
}

/** The HTTPS certificate that a Redfish client has set. */
export class ClientCertificate implements CertificateOwner {
  readonly #options: ClientCertificateOptions;

  constructor(options: ClientCertificateOptions) {
    this.#options = options;
  }

  /** Undefined: there is none, it has expired, or the owner of the BMC names one. */
  get current(): HttpsState['current'] | undefined {
    const { state, clock } = this.#options;
    const { current } = state.current();
    if (current === undefined || this.#namedSecret !== undefined) return undefined;
    return Date.parse(current.expiresAt) > clock.now() ? current : undefined;
  }

  async request(contents: CertificateRequest): Promise<string> {
    this.#check();
    const { createRequest } = await import('@groundcrew/controller-runtime/certificates');
    const { request, key } = await createRequest(contents);
    // Before the answer: the key must outlive the agent until the certificate arrives.
    await this.#options.state.change(() => ({ requestedKey: key }));
    return request;
  }

  async replace(text: string, passphrase?: string): Promise<void> {
    this.#check();
    const { state, clock, show } = this.#options;
    const given = keysIn(text, passphrase);
    await state.change(({ requestedKey, current }) => {
      const known = [requestedKey, current?.key].flatMap((key) => (key === undefined ? [] : createPrivateKey(key)));
      return { current: acceptedCertificate(text, [...given, ...known], clock.now()) };
    });
    // Before the answer.
    await show();
  }

  get #namedSecret(): string | undefined {
    return this.#options.bmc().spec.redfish?.tls?.secretRef?.name;
  }

  /** @throws MachineError `InvalidState` */
  #check(): void {
    const name = this.#namedSecret;
    if (name === undefined) return;
    const where = `Secret ${name}, which spec.redfish.tls.secretRef of the VirtualMachineBMC names`;
    throw new MachineError(
      'InvalidState',
      `The certificate is that of ${where}: replace it there, or remove the field.`,
    );
  }
}

/** Maximum certificates in a chain. */
const MAX_CHAIN = 10;

/**
 * @param keys one of them must be that of the first certificate in the text
 * @param now milliseconds since 1970
 * @throws MachineError `NotSupported` with the reason
 */
function acceptedCertificate(text: string, keys: readonly KeyObject[], now: number): HttpsState['current'] {
  const chain = certificatesIn(text);
  const [own, ...issuers] = chain.map(parsed);
  if (own === undefined || chain.length > MAX_CHAIN)
    throw unfit(`it must hold 1 to ${MAX_CHAIN} certificates in PEM, that of the BMC first`);
  const strangers = issuers.findIndex((issuer, index) => !isIssuedBy([own, ...issuers][index] ?? own, issuer));
  if (strangers !== -1)
    throw unfit(
      `certificate ${strangers + 2} has not issued certificate ${strangers + 1}: each must stand before its issuer`,
    );
  const key = keys.find((each) => own.checkPrivateKey(each));
  if (key === undefined) {
    throw unfit(
      'its private key is unknown: it must be the key of the last GenerateCSR, or stand in PEM behind the certificates',
    );
  }
  const { validFromDate: start, validToDate: end } = own;
  if (end.getTime() <= now) throw unfit(`it expired at ${end.toISOString()}`);
  if (start.getTime() > now) throw unfit(`it is not valid before ${start.toISOString()}`);
  const accepted = { cert: `${chain.join('\n')}\n`, key: key.export({ type: 'pkcs8', format: 'pem' }) };
  try {
    // Such as a key that is too short.
    createSecureContext(accepted);
  } catch (error) {
    throw unfit(error instanceof Error ? error.message : String(error));
  }
  return { ...accepted, expiresAt: end.toISOString() };
}

function parsed(pem: string, index: number): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw unfit(`certificate ${index + 1} cannot be read`);
  }
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** @throws MachineError `NotSupported`; the message and its cause do not contain the key */
function keysIn(text: string, passphrase: string | undefined): KeyObject[] {
  const blocks = text.match(/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?-----END [A-Z ]*PRIVATE KEY-----/g) ?? [];
  return blocks.map((key) => {
    try {
      return createPrivateKey({ key, ...(passphrase === undefined ? {} : { passphrase }) });
    } catch {
      throw unfit('its private key cannot be read, or Password is not its passphrase');
    }
  });
}

function unfit(why: string): MachineError {
  return new MachineError('NotSupported', `The certificate is not used: ${why}.`);
}
