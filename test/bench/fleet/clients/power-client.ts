/** A BMC as a provisioning tool knows it. */
export interface BmcAccess {
  vm: string;
  ipmi: { host: string; port: number };
  redfish: { host: string; port: number };
  username: string;
  password: string;
  /** PEM of the authority that signs the certificates of BMCs. */
  ca: string;
}

/** A provisioning tool at one BMC. Each method repeats failed requests as the tool does, and throws when that gives up. */
export interface PowerClient {
  /** `ipmitool`, `curl`, or one of ours. */
  readonly tool: 'IPMI' | 'Redfish' | 'ipmitool' | 'curl';
  /** Requests beyond the first of each step: retransmissions and repeated requests. */
  readonly repeats: number;
  /** Sets the boot device to PXE for the next boot. */
  setPxe(): Promise<void>;
  powerOn(): Promise<void>;
  /**
   * Cycles the power of a machine that is on. A request whose answer was lost is repeated only if it was not carried out.
   *
   * @param wasCarriedOut called after each lost answer
   */
  powerCycle(wasCarriedOut: () => Promise<boolean>): Promise<void>;
  isOn(): Promise<boolean>;
  close(): Promise<void>;
}

/** ms after which a client gives up: Ironic's `[ipmi]command_retry_timeout`. */
const PATIENCE = 60_000;

/** The BMC is busy, or there was no answer: a later attempt may succeed. */
export class PassingError extends Error {
  override readonly name = 'PassingError';
  readonly code = 'Passing';
}

/** There was no answer, so the request may have been carried out. */
export class UnansweredError extends PassingError {}

/** Sends an action that must not be carried out twice. @throws what `send` throws, except for an action that was carried out */
export async function sendOnce(send: () => Promise<unknown>, wasCarriedOut: () => Promise<boolean>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!(error instanceof UnansweredError) || !(await wasCarriedOut())) throw error;
  }
}

/**
 * Runs `attempt` until it does not throw a {@link PassingError}, with `pause` ms between two attempts, and gives up
 * {@link PATIENCE} ms after the start.
 *
 * @param onRepeat called before each further attempt
 */
export async function persist<T>(attempt: () => Promise<T>, pause: number, onRepeat: () => void): Promise<T> {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof PassingError) || performance.now() + pause > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    onRepeat();
  }
}
