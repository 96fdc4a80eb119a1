// A script of its own that runs before every part of the page's: a language that
// all libraries can take, the recording that the page shows first, and a word about a script that came and stopped, which is
// not one that is still to come.
import { opensFirst } from "../base/first.ts";
import { mendLanguage } from "../base/language.ts";

mendLanguage(navigator);
if (opensFirst(location.hash))
  document.head.append(
    Object.assign(document.createElement("link"), { rel: "preload", as: "fetch", href: "keyframes.bin", crossOrigin: "" }),
  );
if (/[#&]embed=1(&|$)/.test(location.hash)) document.documentElement.classList.add("embed");
addEventListener("error", ({ message }) => {
  const late = document.querySelector(".late"); // gone once the page stands
  if (!late) return;
  late.textContent = `The page's script came and stopped: ${message}. Load the page again, or try another browser: the address keeps what it says.`;
  late.classList.remove("late");
});
