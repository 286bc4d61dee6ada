import { describe, expect, it } from 'vitest';
import { imageOrderOf, mayKnowLogin, shownUrl } from './image-url.ts';

const common = { isInserted: true, isWriteProtected: true };

describe('the URL of an image', () => {
  it('gives up its credentials, for which those that are given go before', () => {
    const image = 'https://maker:s%40cret@images.example/a.iso?k=v#part';
    const { url, login } = imageOrderOf({ image, ...common });
    expect(url.href).toBe('https://images.example/a.iso?k=v');
    expect(login).toEqual({ userName: 'maker', password: 's@cret' });
    const given = imageOrderOf({ image, userName: 'other', password: 'word', ...common });
    expect(given.login).toEqual({ userName: 'other', password: 'word' });
    expect(imageOrderOf({ image: 'http://images.example/a', userName: '', ...common }).login).toBeUndefined();
    expect(imageOrderOf({ image: 'http://%zz@images.example/a', ...common }).login?.userName).toBe('%zz');
  });

  it.each([
    '',
    'a.iso',
    'ftp://images.example/a.iso',
    'file:///etc/passwd',
    `http://images.example/${'a'.repeat(2048)}`,
  ])('is refused where it is none: %.40s', (image) => {
    expect(() => imageOrderOf({ image, ...common })).toThrow(
      expect.objectContaining({ code: 'NotSupported' }) as Error,
    );
  });

  it.each([
    ['http://images.example/a', 'http://images.example/b', true],
    ['http://images.example/a', 'https://images.example/a', true],
    ['https://images.example/a', 'http://images.example/a', false],
    ['http://images.example/a', 'http://images.example:81/a', false],
    ['http://images.example/a', 'http://evil.example/a', false],
  ])('takes its credentials from %s to %s: %s', (first, next, mayKnow) => {
    expect(mayKnowLogin(new URL(next), new URL(first))).toBe(mayKnow);
  });

  it('is shown without what may be a key', () => {
    expect(shownUrl('http://images.example/a.iso?token=x#y')).toBe('http://images.example/a.iso');
  });

  it.each([
    ['http://maker:w@rd@images.example/a.iso', 'http://images.example/a.iso'],
    ['http:\\\\maker:word@images.example\\a.iso', 'http://images.example/a.iso'],
    ['http:maker:word@images.example/a.iso', 'http://images.example/a.iso'],
    ['//maker:word@images.example/a.iso', 'what is no URL'],
    ['http://maker:wo/rd@images.example/a.iso', 'what is no URL'],
    ['', 'what is no URL'],
  ])('is shown without a password however it is written: %s', (url, shown) => {
    expect(shownUrl(url)).toBe(shown);
  });
});
