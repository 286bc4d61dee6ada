import { request } from 'node:https';

const ONE_TRY = 2_000;

/** Resolves when a GET of the service root, which nobody has to log in for, is answered. @throws Error */
export function firstAnswer(base: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asking = request(
      `${base}/redfish/v1/`,
      { rejectUnauthorized: false, agent: false, timeout: ONE_TRY },
      (answer) => {
        answer.resume();
        resolve();
      },
    );
    asking.on('timeout', () => asking.destroy(new Error('no answer')));
    asking.on('error', reject);
    asking.end();
  });
}
