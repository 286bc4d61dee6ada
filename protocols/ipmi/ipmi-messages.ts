import { type Answer, NO_ANSWER, type Peer } from './datagram.ts';
import type { Bmc, Command } from './commands/command.ts';
import { COMMANDS } from './commands/command-list.ts';
import { type CommandOutcome, CommandTable } from './commands/command-table.ts';
import { hex, PacketError } from './packet-error.ts';
import { COMPLETION, PRIVILEGE } from './message/codes.ts';
import { BMC_ADDRESS, decodeRequest, encodeResponse, type RequestMessage } from './message/lan-message.ts';
import type { IpmiObserver } from './observer.ts';
import type { BindContext } from './options.ts';
import type { PayloadHandler } from './payload-handler.ts';
import { PAYLOAD_TYPE } from './rmcpplus/packet.ts';
import type { Session } from './session/session.ts';

const NO_DATA = Buffer.alloc(0);
/** One for all BMCs of a process. */
const TABLE = new CommandTable(COMMANDS);

/** The IPMI message payload: requests and responses, in a session or without one. */
export class IpmiMessages implements PayloadHandler {
  readonly #bmc: Bmc;
  readonly #observer: IpmiObserver;
  readonly #bind: BindContext;

  constructor(bmc: Bmc, observer: IpmiObserver, bind: BindContext) {
    this.#bmc = bmc;
    this.#observer = observer;
    this.#bind = bind;
  }

  /**
   * Without a session, only public commands are served. Others get no answer, to avoid information leaks.
   *
   * @returns the response
   * @throws PacketError
   */
  answerPublic(message: Buffer, peer: Peer, now: number): Buffer {
    const request = requestForUs(message);
    const command = TABLE.find(request.netFn, request.command);
    if (command?.privilege !== 'None') {
      throw new PacketError(
        'Unauthenticated',
        `command ${hex(request.netFn)}/${hex(request.command)} without a session`,
      );
    }
    const outcome = TABLE.execute(command, request, { bmc: this.#bmc, session: undefined, peer, now });
    if (outcome instanceof Promise) throw new TypeError(`${command.name} is public and must answer synchronously`);
    this.#completed(command, request, outcome, '', peer);
    return encodeResponse(request, outcome.completionCode, outcome.data);
  }

  receive(session: Session, payload: Buffer, now: number): Answer {
    const request = requestForUs(payload);
    const before = session.retransmissions.find(request, now);
    if (before === 'running') throw new PacketError('Overloaded', 'retransmission of a running request');
    if (before !== undefined) return [session.channel.seal(PAYLOAD_TYPE.ipmi, before)];
    const command = TABLE.find(request.netFn, request.command);
    if (session.queue.isFull && command?.isUrgent !== true) {
      throw new PacketError('Overloaded', 'too many requests wait in this session');
    }
    return this.#run(session, request, command, now);
  }

  #run(session: Session, request: RequestMessage, command: Command | undefined, now: number): Answer {
    const { peer } = session;
    // Registered before the request is queued: a retransmission may arrive while it waits.
    const handled = session.retransmissions.begin(request, command?.repeatable === false, now);
    const finish = (result: CommandOutcome): readonly Buffer[] => {
      const { outcome, response } = fitting(request, result, session.channel.maxPayload);
      this.#completed(command, request, outcome, session.user, peer);
      handled(outcome.completionCode === COMPLETION.ok ? response : undefined);
      return [session.channel.seal(PAYLOAD_TYPE.ipmi, response)];
    };
    const execute = (): Answer => {
      if (!session.isOpen) return NO_ANSWER;
      const outcome = TABLE.execute(command, request, { bmc: this.#bmc, session, peer, now });
      return outcome instanceof Promise ? outcome.then(this.#bind(finish)) : finish(outcome);
    };
    const work = session.queue.isIdle && onlyReads(command) ? execute : this.#bind(execute);
    return command?.isUrgent === true ? work() : session.queue.run<readonly Buffer[]>(work);
  }

  #completed(
    command: Command | undefined,
    { netFn, command: number }: RequestMessage,
    { completionCode, error }: CommandOutcome,
    user: string,
    peer: Peer,
  ): void {
    this.#observer.commandCompleted?.({
      name: command?.name,
      netFn,
      command: number,
      completionCode,
      user,
      peer,
      error,
    });
  }
}

/** Commands of the level User are benign (IPMI 2.0 §6.8): those that may be repeated only read, from memory. */
export function onlyReads(command: Command | undefined): boolean {
  return command === undefined || (command.privilege === PRIVILEGE.user && command.repeatable);
}

/** A response over the payload limit of the session becomes an error, so that the client requests less; without an answer it would retry. */
function fitting(
  request: RequestMessage,
  outcome: CommandOutcome,
  maxPayload = Infinity,
): { outcome: CommandOutcome; response: Buffer } {
  const { completionCode, data } = outcome;
  const response = encodeResponse(request, completionCode, data);
  if (response.length <= maxPayload) return { outcome, response };
  const tooLong = { completionCode: COMPLETION.tooManyBytes, data: NO_DATA };
  return { outcome: tooLong, response: encodeResponse(request, tooLong.completionCode, tooLong.data) };
}

function requestForUs(message: Buffer): RequestMessage {
  const request = decodeRequest(message);
  if (request.responderAddress !== BMC_ADDRESS) {
    throw new PacketError('Unsupported', `request for address ${hex(request.responderAddress)}`);
  }
  return request;
}
