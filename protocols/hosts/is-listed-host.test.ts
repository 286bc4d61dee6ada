import { describe, expect, it } from 'vitest';
import { isListedHost } from './is-listed-host.ts';

describe('isListedHost', () => {
  it.each([
    ['https://images.example/a.iso', 'images.example'],
    ['https://IMAGES.example/a.iso', 'Images.Example'],
    ['https://images.example:8443/a.iso', 'images.example'],
    ['https://images.example:8443/a.iso', 'images.example:8443'],
    ['https://images.example/a.iso', 'images.example:443'],
    ['http://192.0.2.7/a.iso', '192.0.2.7:80'],
    ['http://[2001:db8::7]/a.iso', '2001:db8::7'],
    ['http://[2001:db8::7]:8080/a.iso', '[2001:db8::7]:8080'],
  ])('matches %s with %s', (url, host) => {
    expect(isListedHost(new URL(url), ['other.example', host])).toBe(true);
  });

  it.each([
    ['https://images.example.evil.example/', 'images.example'],
    ['https://evil.example/images.example', 'images.example'],
    ['https://images.example@evil.example/', 'images.example'],
    ['https://images.example:8443/', 'images.example:443'],
    ['https://sub.images.example/', 'images.example'],
  ])('does not match %s with %s', (url, host) => {
    expect(isListedHost(new URL(url), [host])).toBe(false);
  });
});
