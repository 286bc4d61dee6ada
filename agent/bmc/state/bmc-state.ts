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

export interface BmcStateOptions {
  client: KubeClient;
  watches: ObjectWatches;
  bmc: VirtualMachineBMC;
  /** Told whenever something stored may be another. */
  onChange: () => void;
  /** Tells people of what is amiss; one word in CamelCase, and a sentence. */
  report: (reason: string, message: string) => void;
  clock: Clock;
  signal: AbortSignal;
  logger: Logger;
}

/** What clients changed of a BMC: its settings and the accounts that they added, in Secret `<bmc>-state`. */
export class BmcState {
  readonly #options: BmcStateOptions;
  readonly #secret: OwnedObject<Secret>;
  #isForbidden = false;
  readonly settings: SettingsStore;
  readonly accounts: AccountStore;
  readonly redfish: RedfishStateStore;

  constructor(options: BmcStateOptions) {
    const { client, watches, bmc, onChange, report, clock, signal, logger } = options;
    const name = stateSecretName(bmc.metadata.name);
    const secret = new OwnedObject<Secret>({ client, watches, kind: SECRETS, name, bmc, onChange });
    const onUnreadable = (key: string): void => {
      const message =
        `Of what Secret ${name} holds under ${key} not all can be read; the rest is in force. ` +
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
  }

  /**
   * Resolves when it is known what is stored. An agent that may not read it serves the BMC as it was made: its Role may be that of
   * an agent of before. What is stored is in force as soon as the Role allows it.
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
      `The agent may not read Secret ${this.#secret.name}. Accounts and settings that clients stored there are not in force ` +
      'until its Role, which the manager writes, allows it.';
    logger.warn({ secret: this.#secret.name }, message);
    report('StateForbidden', message);
  }
}
