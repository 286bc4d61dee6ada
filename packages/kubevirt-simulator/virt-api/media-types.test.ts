import { describe, expect, it } from 'vitest';
import { mediaTypeRefusal, type MediaTypes } from './media-types.ts';

const JSON_TYPE = 'application/json';
const JSON_BOTH: MediaTypes = { consumes: [JSON_TYPE], produces: [JSON_TYPE] };

function statusFor(types: MediaTypes, headers: { accept?: string; 'content-type'?: string }, method = 'GET'): number {
  return mediaTypeRefusal(method, headers, types)?.status ?? 200;
}

describe('a route that declares nothing', () => {
  it.each([
    [undefined, 200],
    ['', 200],
    ['*/*', 200],
    ['application/json, */*', 200],
    ['text/html,*/*;q=0.8', 200],
    ['application/json', 406],
    ['application/*', 406],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 406],
  ])('answers Accept %s with %i', (accept, status) => {
    expect(statusFor({}, accept === undefined ? {} : { accept }, 'PUT')).toBe(status);
  });

  it('takes every Content-Type', () => {
    expect(statusFor({}, { 'content-type': 'text/plain' }, 'PUT')).toBe(200);
  });

  it('names no representation in its refusal', () => {
    expect(mediaTypeRefusal('PUT', { accept: JSON_TYPE }, {})).toEqual({
      status: 406,
      text: '406: Not Acceptable\n\nAvailable representations: ',
    });
  });
});

describe('a route that declares JSON', () => {
  it.each([
    ['*/*', 200],
    ['application/json', 200],
    ['image/png, application/json;q=0.1', 200],
    ['application/yaml', 406],
    ['application/*', 406],
  ])('answers Accept %s with %i', (accept, status) => {
    expect(statusFor(JSON_BOTH, { accept })).toBe(status);
  });

  it('takes JSON, and a request without a Content-Type where the method has no body', () => {
    expect(statusFor(JSON_BOTH, { 'content-type': 'application/json; charset=utf-8' })).toBe(200);
    expect(statusFor(JSON_BOTH, {})).toBe(200);
    expect(statusFor(JSON_BOTH, {}, 'PUT')).toBe(415);
    expect(statusFor(JSON_BOTH, { 'content-type': 'text/plain', accept: 'image/png' })).toBe(415);
  });

  it('names its representations in its refusal', () => {
    expect(mediaTypeRefusal('GET', { accept: 'text/html' }, { produces: [JSON_TYPE, 'application/xml'] })?.text).toBe(
      '406: Not Acceptable\n\nAvailable representations: application/json, application/xml',
    );
  });
});
