/**
 * xterm.js writes style elements and style attributes, which the page's content security policy refuses. When the page is
 * built, `scripts/build-web.ts` puts these functions in their place: they make the same styles by code.
 */

/** In place of `document.createElement('style')`: its text becomes a constructed style sheet. */
export function styleElement(): HTMLElement {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  const element = document.createElement('span');
  element.hidden = true;
  const remove = element.remove.bind(element);
  Object.defineProperties(element, {
    textContent: {
      set: (text: string) => {
        sheet.replaceSync(text);
      },
    },
    remove: {
      value: () => {
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
        remove();
      },
    },
  });
  return element;
}

/** In place of `element.setAttribute('style', text)`. */
export function setStyle(element: HTMLElement, text: string): void {
  element.style.cssText = text;
}
