import { MachineError } from '../../../machine/index.ts';
import { base, RedfishError, machineRefusal } from '../../messages/index.ts';
import type { Action, ActionOutcome } from '../../resource.ts';
import { type Answer, doneAnswer, jsonAnswer, type Exchange } from '../exchange/index.ts';
import { readBody, evaluateWhole, parametersOf } from '../bodies/index.ts';
import { composePayload } from '../reading/index.ts';
import { findPlace } from '../tree/index.ts';

/**
 * Runs an action; the body may be missing if no parameter is required (DSP0266 §7.10). If-Match is ignored: gofish sends it with
 * every request.
 *
 * @throws RedfishError
 */
export async function runAction(exchange: Exchange, action: Action): Promise<Answer> {
  const body = (await readBody(exchange.request, exchange.response)) ?? {};
  const { accepted, messages } = evaluateWhole(action.rules, body, parametersOf(action.name));
  if (messages.length > 0) throw new RedfishError(400, messages);
  const outcome = await run(action, () => action.run(accepted, exchange.caller));
  if (outcome === undefined) return { status: 204 };
  if ('task' in outcome) return goingOn(exchange, outcome.task);
  return 'body' in outcome ? jsonAnswer(200, outcome.body) : doneAnswer(outcome.messages);
}

async function run(action: Action, work: () => Promise<ActionOutcome>): Promise<ActionOutcome> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof MachineError ? machineRefusal(error, base('ActionNotSupported', [action.name])) : error;
  }
}

/** 202 with the Task and its monitor, which answers 202 while the task runs (DSP0266 §12.2). */
async function goingOn({ service }: Exchange, task: string): Promise<Answer> {
  const place = findPlace(service.tree, task);
  if (place === undefined) return { status: 202, headers: { Location: task } };
  const { properties, text } = await composePayload(place);
  const { TaskMonitor: monitor } = properties;
  return { status: 202, headers: { Location: typeof monitor === 'string' ? monitor : task }, text };
}
