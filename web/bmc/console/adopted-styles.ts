/**
 * xterm.js writes style elements, which the page's content security policy refuses. This document gives it a placeholder
 * in their place, whose text becomes a constructed style sheet: those are made by code and not by content.
 */
export function documentWithAdoptedStyles(): Document {
  return new Proxy(document, {
    get(target, name) {
      if (name === 'createElement') {
        return (tag: string) => (tag === 'style' ? styleSheetElement() : target.createElement(tag));
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}

function styleSheetElement(): HTMLElement {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  const element = document.createElement('span');
  element.hidden = true;
  const remove = element.remove.bind(element);
  Object.defineProperties(element, {
    textContent: {
      get: () => '',
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
