import {
  ApiError,
  KubeClient,
  sleep,
  systemClock,
  TransportError,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { clusterAccess, KubeconfigError } from '@groundcrew/controller-runtime/kubeconfig';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { findKubeconfig } from '../find-kubeconfig.ts';
import { painter, wantsColour } from '../paint.ts';
import type { Dependencies } from '../program.ts';
import type { StatusFlags } from './command.ts';
import { evaluate } from './evaluate.ts';
import { loadInputs, type Inputs } from './inputs.ts';
import { evaluateMachine } from './machine.ts';
import { renderMachine } from './render-machine.ts';
import { render, type Style } from './render.ts';

/** Milliseconds between two screens of `--watch`. */
const INTERVAL = 2000;
const NEVER = new AbortController().signal;

/**
 * Prints the status of all, or of one virtual machine.
 *
 * @param subject `[namespace/]name` of a VM or of its BMC; absent: all
 * @returns 0 if nothing is wrong; 1 if something is, or is not known
 */
export async function runStatus(
  subject: string | undefined,
  flags: StatusFlags,
  { env, stdout, stderr }: Dependencies,
): Promise<number> {
  try {
    await using parts = new AsyncDisposableStack();
    const access = await clusterAccess(await findKubeconfig(flags.kubeconfig, env), flags.context);
    const client = new KubeClient({ transport: undiciTransport(access), fieldManager: 'groundcrew-cli' });
    parts.defer(() => client.close());
    const one = subject === undefined ? undefined : refOf(subject, flags.namespace ?? access.namespace ?? 'default');
    const wide = flags.output === 'wide';
    const colour = wantsColour(stdout, env);
    const style = (): Style => ({ wide, width: wide ? Infinity : (stdout.columns ?? 80), paint: painter(colour) });
    const report = async (): Promise<Report> => {
      const selected =
        one === undefined ? { namespace: flags.namespace } : { namespace: one.namespace, networksEverywhere: true };
      return reportOf(await loadInputs(client, selected), one, flags.output === 'json', style());
    };
    if (!flags.watch) {
      const { text, code, isError } = await report();
      (isError === true ? stderr : stdout).write(text);
      return code;
    }
    // Until Ctrl-C.
    for (;;) {
      const { text } = await report().catch(failed);
      stdout.write(stdout.isTTY === true ? `\x1b[H${text.replaceAll('\n', '\x1b[K\n')}\x1b[J` : text);
      await sleep(systemClock, INTERVAL, NEVER);
    }
  } catch (error) {
    const { text, code } = failed(error);
    stderr.write(text);
    return code;
  }
}

/** What to print. */
interface Report {
  text: string;
  /** Exit code. */
  code: number;
  /** It is no status. */
  isError?: boolean;
}

function reportOf(inputs: Inputs, one: Required<ObjectRef> | undefined, json: boolean, style: Style): Report {
  if (inputs.absent.includes('VirtualMachineBMC')) {
    const text =
      'This cluster has no VirtualMachineBMC resources. Install Groundcrew: helm install groundcrew charts/groundcrew\n';
    return { text, code: 1, isError: true };
  }
  const status = one === undefined ? evaluate(inputs) : evaluateMachine(inputs, one);
  if (status === undefined) {
    const name = `${one?.namespace ?? ''}/${one?.name ?? ''}`;
    const text = `There is no VirtualMachine and no VirtualMachineBMC ${name}. groundcrew status lists all BMCs.\n`;
    return { text, code: 1, isError: true };
  }
  const code = status.healthy ? 0 : 1;
  if (json) return { text: `${JSON.stringify(status, undefined, 2)}\n`, code };
  if (!('bmcs' in status)) return { text: renderMachine(status, style), code };
  const isEmpty = inputs.bmcs.length + inputs.pools.length + inputs.networkConfigs.length === 0;
  const hint = 'No VirtualMachineBMC and no IPPool found. examples/ shows how to write them.\n';
  return { text: (isEmpty ? hint : '') + render(status, style), code };
}

function refOf(subject: string, namespace: string): Required<ObjectRef> {
  const [first = '', ...rest] = subject.split('/');
  return rest.length === 0 ? { namespace, name: first } : { namespace: first, name: rest.join('/') };
}

/** @throws errors that are not about the cluster or its kubeconfig */
function failed(error: unknown): Report {
  if (!(error instanceof ApiError || error instanceof TransportError || error instanceof KubeconfigError)) throw error;
  return { text: `The cluster could not be read: ${error.message}\n`, code: 1 };
}
