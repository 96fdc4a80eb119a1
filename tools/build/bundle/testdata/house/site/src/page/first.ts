document.title = "first";
