import "./manual.css";

document.title = "manual";
