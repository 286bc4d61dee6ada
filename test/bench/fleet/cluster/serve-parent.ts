/** Answers one kind of question of the parent process. */
export type Handler = (argument: never) => unknown;

interface Question {
  id: number;
  question: string;
  argument: unknown;
}

/** The argument that the parent process has given. */
export function givenArgument(): unknown {
  return JSON.parse(process.argv[2] ?? '');
}

/** Answers the questions of the parent process until it disconnects or ends, then closes and ends this process. */
export function serveParent(handlers: Readonly<Record<string, Handler>>, close: () => Promise<void>): void {
  process.on('message', ({ id, question, argument }: Question) => {
    const handler = handlers[question];
    void (async () => {
      if (handler === undefined) throw new Error(`there is no question '${question}'`);
      return await handler(argument as never);
    })().then(
      (value) => process.send?.({ id, value }),
      (error: unknown) => process.send?.({ id, error: String(error) }),
    );
  });
  process.once('disconnect', () => {
    void close().finally(() => process.exit(0));
  });
  // A Ctrl-C reaches the whole process group; the parent decides when this process ends.
  process.on('SIGINT', () => undefined);
}
