// Dialogs: the browser's own, with a title, a close button and Escape.
import { h } from "../base/dom.ts";
import { icon } from "../base/icon.ts";

export interface Opened {
  element: HTMLDialogElement;
  close: () => void;
}

/** Shows a modal dialog; it is removed when it closes, and the focus returns to where it was. */
export function showDialog(kind: string, title: string, content: (Node | false | undefined)[], closed: () => void = () => {}): Opened {
  const id = `dialog-${kind}`;
  const element = h("dialog", { class: kind, "aria-labelledby": id });
  const close = () => element.close();
  element.append(
    h(
      "div.heading",
      {},
      h("h2", { id }, title),
      h("button.btn.quiet.square", { type: "button", "aria-label": "Close", onclick: close }, icon("close")),
    ),
    ...content.filter((part): part is Node => part instanceof Node),
  );
  element.addEventListener("close", () => {
    element.remove();
    closed();
  });
  element.addEventListener("click", (event) => event.target === element && close()); // beside the dialog
  document.body.append(element);
  element.showModal();
  return { element, close };
}

/** Whether a modal dialog is open. */
export function dialogOpen(): boolean {
  return document.querySelector("dialog:modal") !== null;
}
