import { AccountError } from '../../../accounts.ts';
import { base, type Message, RedfishError } from '../../messages/index.ts';

const RETRY_AFTER = '10';

/**
 * The error response for an account that could not be changed.
 *
 * @param properties the properties to write and their values; without the value of a password
 */
export function accountRefusal(error: AccountError, properties: ReadonlyMap<string, string>): RedfishError {
  const names = [...properties.keys()];
  // Resolution is the only part of a message that can hold our own text.
  const explained = (message: Message): Message => ({ ...message, Resolution: sentence(error.message) });
  switch (error.code) {
    case 'ReadOnly':
      return new RedfishError(
        400,
        names.map((name) => explained(base('PropertyNotWritable', [name], [`#/${name}`]))),
      );
    case 'Taken':
      return new RedfishError(409, [
        base('ResourceAlreadyExists', ['ManagerAccount', 'UserName', properties.get('UserName') ?? ''], ['#/UserName']),
      ]);
    case 'Invalid':
      return new RedfishError(
        400,
        names
          .filter((name) => name === 'UserName' || name === 'Password')
          .map((name) => explained(base('PropertyValueError', [name], [`#/${name}`]))),
      );
    case 'Unavailable':
      return new RedfishError(503, [explained(base('ServiceTemporarilyUnavailable', [RETRY_AFTER]))], {
        'Retry-After': RETRY_AFTER,
      });
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
