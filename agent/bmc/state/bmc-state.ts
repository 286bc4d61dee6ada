import { stateSecretName, type VirtualMachineBMC } from '../../../api/index.ts';
import {
  ApiError,
  type Clock,
  type KubeClient,
  type Logger,
  type Secret,
  SECRETS,
} from '@groundcrew/controller-runtime';
import type { IpmiSettings, SettingsStore } from '../../../protocols/ipmi/index.ts';
import type { RedfishState, RedfishStateStore } from '../../../protocols/redfish/index.ts';
import type { AccountStore } from '../accounts/bmc-accounts.ts';
import type { ObjectWatches } from '../objects/named-watches.ts';
import { OwnedObject } from '../objects/owned-object.ts';
import { objectFormat, StateEntry, StoredObject } from './state-entry.ts';
import { ACCOUNTS_FORMAT, StoredAccounts } from './stored-accounts.ts';

/** The HTTPS certificate that a client has set. Its private key is only here and in the memory of the agent. */
export interface HttpsState {
  /** PEM; the time in RFC 3339. */
  current: { cert: string; key: string; expiresAt: string };
  /** The private key of the last certificate request, PEM. */
  requestedKey: string;
}

export interface BmcStateOptions {
  client: KubeClient;
  watches: ObjectWatches;
  bmc: VirtualMachineBMC;
  /** Called when stored data may have changed. */
  onChange: () => void;
  /** Reports a problem to users: a reason in CamelCase, and a sentence. */
  report: (reason: string, message: string) => void;
  clock: Clock;
  signal: AbortSignal;
  logger: Logger;
}

/** The settings and the certificate that clients set and the accounts that they added, in Secret `<bmc>-state`. */
export class BmcState {
  readonly #options: BmcStateOptions;
  readonly #secret: OwnedObject<Secret>;
  #isForbidden = false;
  readonly settings: SettingsStore;
  readonly accounts: AccountStore;
  readonly redfish: RedfishStateStore;
  readonly https: StoredObject<HttpsState>;

  constructor(options: BmcStateOptions) {
    const { client, watches, bmc, onChange, report, clock, signal, logger } = options;
    const name = stateSecretName(bmc.metadata.name);
    const secret = new OwnedObject<Secret>({ client, watches, kind: SECRETS, name, bmc, onChange });
    const onUnreadable = (key: string): void => {
      const message =
        `Secret ${name} has unreadable data under ${key}; the rest is in force. ` +
        `The next change keeps the text as it is under ${key}.unreadable.`;
      logger.warn({ secret: name, key }, message);
      report('StateUnreadable', message);
    };
    this.#options = options;
    const dependencies = { secret, onUnreadable, clock, signal };
    this.#secret = secret;
    this.settings = new StoredObject(
      new StateEntry({ ...dependencies, format: objectFormat<IpmiSettings>('settings') }),
    );
    this.accounts = new StoredAccounts(new StateEntry({ ...dependencies, format: ACCOUNTS_FORMAT }));
    this.redfish = new StoredObject(new StateEntry({ ...dependencies, format: objectFormat<RedfishState>('redfish') }));
    this.https = new StoredObject(new StateEntry({ ...dependencies, format: objectFormat<HttpsState>('https') }));
  }

  /**
   * Resolves when the stored data is loaded. Without permission (the Role of an older version), the BMC has its initial
   * settings until the Role allows the read.
   *
   * @throws ApiError, TransportError
   */
  async load(): Promise<void> {
    if (this.#secret.hasSettled) return;
    try {
      await this.#secret.read(this.#options.signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
      this.#tellForbidden();
    }
  }

  stop(): void {
    this.#secret.stop();
  }

  /** Once. */
  #tellForbidden(): void {
    if (this.#isForbidden) return;
    this.#isForbidden = true;
    const { logger, report } = this.#options;
    const message =
      `The agent may not read Secret ${this.#secret.name}. The accounts and settings of clients there are not in force ` +
      'until its Role, which the manager writes, allows it.';
    logger.warn({ secret: this.#secret.name }, message);
    report('StateForbidden', message);
  }
}
