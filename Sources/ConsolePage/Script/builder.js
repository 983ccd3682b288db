// builder
