import { isObject, textOr, type JsonObject } from '../json.ts';
import { fieldErrors, nameRules } from '../schema/index.ts';
import type { FieldError } from '../status.ts';

const FORM = '; desired format: https://host[/path]';

/** What is wrong with the place where a webhook is said to be. */
export function clientConfigErrors({ url, service }: JsonObject, field: string): FieldError[] {
  const hasUrl = url !== undefined && url !== null;
  if (hasUrl === isObject(service)) return [fieldErrors.required(field, 'exactly one of url or service is required')];
  return isObject(service) ? serviceErrors(service, `${field}.service`) : urlErrors(textOr(url), `${field}.url`);
}

/** Takes the text apart by itself: URL mends what kube-apiserver refuses. */
function urlErrors(url: string, field: string): FieldError[] {
  const match = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/i.exec(
    url,
  );
  const [, scheme = '', user, host = '', query = '', fragment = ''] = match ?? [];
  if (match === null || /[\s%]/.test(host)) {
    return [
      fieldErrors.required(
        field,
        `url must be a valid URL: parse ${JSON.stringify(url)}: invalid character in host name${FORM}`,
      ),
    ];
  }
  return [
    ...(scheme.toLowerCase() === 'https'
      ? []
      : [fieldErrors.invalid(field, scheme, `'https' is the only allowed URL scheme${FORM}`)]),
    ...(host === '' ? [fieldErrors.invalid(field, host, `host must be specified${FORM}`)] : []),
    ...(user === undefined ? [] : [fieldErrors.invalid(field, user, 'user information is not permitted in the URL')]),
    ...(fragment === '' ? [] : [fieldErrors.invalid(field, fragment, 'fragments are not permitted in the URL')]),
    ...(query === '' ? [] : [fieldErrors.invalid(field, query, 'query parameters are not permitted in the URL')]),
  ];
}

function serviceErrors(service: JsonObject, field: string): FieldError[] {
  const { port, path } = service;
  const errors: FieldError[] = [];
  // kube-apiserver takes the one for the other here.
  if (textOr(service['namespace']) === '') errors.push(fieldErrors.required(`${field}.name`));
  if (textOr(service['name']) === '') errors.push(fieldErrors.required(`${field}.namespace`));
  if (typeof port === 'number' && (port < 1 || port > 65535))
    errors.push(
      fieldErrors.invalid(`${field}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'),
    );
  return [...errors, ...pathErrors(textOr(path), `${field}.path`)];
}

function pathErrors(path: string, field: string): FieldError[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return [fieldErrors.invalid(field, path, 'segment[0] may not be empty')];
  const errors = path.startsWith('/') ? [] : [fieldErrors.invalid(field, path, "must start with a '/'")];
  path
    .slice(1)
    .replace(/\/$/, '')
    .split('/')
    .forEach((segment, index) => {
      if (segment === '') errors.push(fieldErrors.invalid(field, path, `segment[${index}] may not be empty`));
      else
        for (const text of nameRules.dns1123Subdomain(segment))
          errors.push(fieldErrors.invalid(field, path, `segment[${index}]: ${text}`));
    });
  return errors;
}
